package execute

import (
	"net/url"
	"strings"
)

// redirected is the next hop, by the rules of browsers. Credentials stay with the host of the definition.
func (r *request) redirected(attempt *Attempt, status int, location string) (*request, error) {
	target := attempt.Definition.Call
	relative, err := url.Parse(location)
	if err != nil {
		return nil, refuse("the response redirects to a URL that is not http or https")
	}
	address, err := checkedURL(r.url.ResolveReference(relative).String())
	if err != nil {
		return nil, refuse("the response redirects to a URL that is not http or https")
	}
	if r.url.Scheme == "https" && address.Scheme == "http" {
		return nil, refuse("the response redirects from https to http")
	}
	next := &request{r.method, address, r.headers.Clone(), r.body}
	if (status == 303 && r.method != "HEAD") || ((status == 301 || status == 302) && r.method == "POST") {
		next.method, next.body = "GET", nil
		next.headers.Del("Content-Type")
	}
	if !sameHost(r.url, address) {
		if target.Callback != nil {
			return nil, refuse("the response redirects to another host, which must not learn the callback URL")
		}
		if next.body != nil && target.Body != nil && secretInside.MatchString(*target.Body) {
			return nil, refuse("the response redirects to another host, which must not get the secrets in the body")
		}
		for name := range next.headers {
			if target.isPrivate(name) {
				next.headers.Del(name)
			}
		}
	}
	return next, next.identify(attempt)
}

// isPrivate tells whether a header is only for the host of the definition.
func (t *CallTarget) isPrivate(header string) bool {
	name := strings.ToLower(header)
	switch name {
	case "idempotency-key":
		return false
	case "authorization", "cookie", "horae-callback-url":
		return true
	}
	for _, end := range privateEnds {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	for own, text := range t.Headers {
		if strings.EqualFold(own, header) && secretInside.MatchString(text) {
			return true
		}
	}
	return false
}

// sameHost is the same origin, or an upgrade from http to https.
func sameHost(one, other *url.URL) bool {
	if !strings.EqualFold(one.Hostname(), other.Hostname()) {
		return false
	}
	if one.Scheme == other.Scheme && port(one) == port(other) {
		return true
	}
	return port(one) == "80" && port(other) == "443"
}

func port(address *url.URL) string {
	if given := address.Port(); given != "" {
		return given
	}
	if address.Scheme == "https" {
		return "443"
	}
	return "80"
}
