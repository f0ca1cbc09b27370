/* A wall clock that is wrong by SKEW seconds, or by as many as the file SKEW_FILE says at the time, for whoever preloads
   this. How time passes stays right: only the realtime clock is moved. (libfaketime moves deadlines of waits as well, and Python 3.11 cannot sleep with it.) */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t skew(void)
{
    const char *text = getenv("SKEW"), *path = getenv("SKEW_FILE");
    char read_text[32] = "";
    if (path) {
        int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file >= 0) {
            if (read(file, read_text, sizeof read_text - 1) > 0)
                text = read_text;
            close(file);
        }
    }
    return text ? atol(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *at)
{
    static int (*real)(clockid_t, struct timespec *);
    if (!real)
        real = dlsym(RTLD_NEXT, "clock_gettime");
    int code = real(clock, at);
    if (!code && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        at->tv_sec += skew();
    return code;
}

int gettimeofday(struct timeval *at, void *zone)
{
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}
