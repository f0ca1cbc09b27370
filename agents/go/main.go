// Command horae-agent is a small agent for Horae: a worker without a database, which executes scripts and calls of
// URLs by the worker protocol (docs/worker-protocol.md). See README.md.
package main

import (
	"flag"
	"fmt"
	"log"
	"math/rand"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"horae-agent/internal/execute"
	"horae-agent/internal/work"
)

const version = "go-agent 0.1"

func main() {
	if len(os.Args) > 2 && os.Args[1] == execute.KeepCommand {
		execute.Keep(os.Args[2:])
		return
	}
	rand.Seed(time.Now().UnixNano()) // Go before 1.20 does not do that itself
	log.SetFlags(log.LstdFlags | log.Lmsgprefix)
	log.SetPrefix("horae-agent: ")
	settings, err := configured()
	if err != nil {
		fmt.Fprintln(os.Stderr, "horae-agent:", err)
		os.Exit(2)
	}
	stop := make(chan os.Signal, 2)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	if err := work.New(settings).Run(stop); err != nil {
		log.Print(err)
		os.Exit(1)
	}
}

// configured reads the options and the environment. The key comes from the environment or a file: options are visible
// to every user of the machine.
func configured() (work.Settings, error) {
	var made work.Settings
	var queues, offers, keyFile string
	flag.StringVar(&made.URL, "url", os.Getenv("HORAE_URL"), "address of the installation (HORAE_URL)")
	flag.StringVar(&keyFile, "key-file", os.Getenv("HORAE_WORKER_KEY_FILE"), "file with the worker key, unless HORAE_WORKER_KEY is set")
	flag.StringVar(&made.Name, "name", os.Getenv("HORAE_WORKER_NAME"), "name that people see")
	flag.StringVar(&queues, "queues", os.Getenv("HORAE_QUEUES"), "queues to serve, separated by commas; all that the key allows if empty")
	flag.StringVar(&offers, "executors", either(os.Getenv("HORAE_EXECUTORS"), "http,script"), "what to execute: http, script")
	flag.IntVar(&made.Slots, "slots", 4, "runs at a time")
	flag.DurationVar(&made.DrainTimeout, "drain-timeout", 30*time.Second, "how long running work may continue after SIGTERM")
	flag.BoolVar(&made.AllowPrivate, "allow-private", isTrue(os.Getenv("HORAE_HTTP_ALLOW_PRIVATE")), "calls may reach private addresses (HORAE_HTTP_ALLOW_PRIVATE)")
	flag.Parse()
	made.Version, made.Key = version, os.Getenv("HORAE_WORKER_KEY")
	made.Queues, made.Offers = list(queues), list(offers)
	if made.Key == "" && keyFile != "" {
		text, err := os.ReadFile(keyFile)
		if err != nil {
			return made, err
		}
		made.Key = strings.TrimSpace(string(text))
	}
	os.Unsetenv("HORAE_WORKER_KEY")
	return made, check(made)
}

func check(settings work.Settings) error {
	switch {
	case !strings.HasPrefix(settings.URL, "http://") && !strings.HasPrefix(settings.URL, "https://"):
		return fmt.Errorf("set HORAE_URL to the address of the installation, such as https://horae.example.org")
	case settings.Key == "":
		return fmt.Errorf("set HORAE_WORKER_KEY, or name a file with the key in --key-file")
	case settings.Slots < 1 || settings.Slots > 10_000:
		return fmt.Errorf("--slots: must be between 1 and 10000")
	case len(settings.Offers) == 0:
		return fmt.Errorf("--executors: must name http, script or both")
	}
	for _, offer := range settings.Offers {
		if offer != "http" && offer != "script" {
			return fmt.Errorf("--executors: this agent executes http and script, not %q", offer)
		}
	}
	return nil
}

func list(text string) []string {
	made := []string{}
	for _, part := range strings.Split(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			made = append(made, part)
		}
	}
	return made
}

func either(text, otherwise string) string {
	if text != "" {
		return text
	}
	return otherwise
}

func isTrue(text string) bool {
	is, _ := strconv.ParseBool(text)
	return is
}
