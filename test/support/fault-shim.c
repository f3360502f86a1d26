/*
 * Lets one call that changes files fail. Loaded into a program with LD_PRELOAD (see fault-shim.ts).
 *
 * Counted are write, pwrite, writev, pwritev, truncate, ftruncate, rename, link, symlink, unlink, mkdir, rmdir, fsync, fdatasync and
 * opening for writing, when they concern FAULT_FOLDER or something below it. (Not counted is the data that the kernel copies from file to
 * file; opening its target is.) The FAULT_AT-th (from 1) fails by FAULT_KIND:
 *   EIO, ENOSPC, EROFS, ...  nothing is done, the call fails with this error
 *   half                     writes half of the bytes and fails with EIO; other calls fail with EIO
 *   stop-before              SIGSTOP before the call, which goes on with SIGCONT
 *   kill-before, kill-after  SIGKILL before or after the call; kill-half writes half of the bytes first
 * FAULT_MODE=persistent makes every later call fail, too; anything else only this one.
 * FAULT_COUNT_FILE holds the number of counted calls so far, in decimal, and is written with each of them.
 * FAULT_TRACE_FILE, if given, takes a line for each counted call: number, name, path.
 * Programs that this one starts are left alone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static char folder[PATH_MAX];
static size_t folder_length;
static long fault_at, count;
static int is_persistent, fault_errno, stop_before, kill_before, kill_after, half;
static int count_fd = -1, trace_fd = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const struct { const char *name; int value; } errors[] = {
  {"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EROFS", EROFS}, {"EACCES", EACCES}, {"EDQUOT", EDQUOT}, {"EBUSY", EBUSY}, {"ENOENT", ENOENT},
};

static int open_report(const char *variable) {
  const char *path = getenv(variable);
  return path && *path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
}

__attribute__((constructor)) static void start(void) {
  const char *where = getenv("FAULT_FOLDER");
  if (!where || !*where) return;
  if (!realpath(where, folder)) snprintf(folder, sizeof folder, "%s", where);
  folder_length = strlen(folder);
  const char *at = getenv("FAULT_AT");
  const char *kind = getenv("FAULT_KIND");
  const char *mode = getenv("FAULT_MODE");
  fault_at = at ? atol(at) : 0;
  is_persistent = mode && !strcmp(mode, "persistent");
  if (kind) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
      if (!strcmp(kind, errors[i].name)) fault_errno = errors[i].value;
    if (!strcmp(kind, "half")) half = 1, fault_errno = EIO;
    if (!strcmp(kind, "stop-before")) stop_before = 1;
    if (!strcmp(kind, "kill-before")) kill_before = 1;
    if (!strcmp(kind, "kill-half")) kill_before = half = 1;
    if (!strcmp(kind, "kill-after")) kill_after = 1;
    if (fault_at > 0 && !fault_errno && !stop_before && !kill_before && !kill_after) {
      dprintf(2, "fault-shim: unknown FAULT_KIND %s\n", kind);
      _exit(98);
    }
  }
  count_fd = open_report("FAULT_COUNT_FILE");
  trace_fd = open_report("FAULT_TRACE_FILE");
  /* what this program starts runs without us */
  unsetenv("LD_PRELOAD");
}

static int is_below(const char *path) {
  return !strncmp(path, folder, folder_length) && (path[folder_length] == '/' || path[folder_length] == 0);
}

/* The folder of the path must exist; the last part may not. */
static int path_is_ours(int at, const char *path, char *whole) {
  char joined[PATH_MAX], parent[PATH_MAX];
  if (!folder_length || !path) return 0;
  if (path[0] == '/') snprintf(joined, sizeof joined, "%s", path);
  else if (at == AT_FDCWD) {
    if (!getcwd(joined, sizeof joined)) return 0;
    size_t length = strlen(joined);
    snprintf(joined + length, sizeof joined - length, "/%s", path);
  } else {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", at);
    ssize_t length = readlink(link, joined, sizeof joined - 1);
    if (length < 0) return 0;
    snprintf(joined + length, sizeof joined - length, "/%s", path);
  }
  char *slash = strrchr(joined, '/');
  if (!slash) return 0;
  char name[NAME_MAX + 1];
  snprintf(name, sizeof name, "%s", slash + 1);
  *slash = 0;
  if (!realpath(*joined ? joined : "/", parent)) snprintf(parent, sizeof parent, "%s", joined);
  size_t length = strlen(parent);
  if (length + strlen(name) + 2 > PATH_MAX) return 0;
  memcpy(whole, parent, length);
  whole[length] = '/';
  strcpy(whole + length + 1, name);
  return is_below(whole);
}

static int fd_is_ours(int fd, char *whole) {
  if (!folder_length || fd < 3) return 0;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, whole, PATH_MAX - 1);
  if (length < 0) return 0;
  whole[length] = 0;
  return is_below(whole);
}

/* Counts a call; answers whether it is to fail. */
static int is_hit(const char *name, const char *path) {
  char text[32];
  pthread_mutex_lock(&lock);
  long number = ++count;
  int length = snprintf(text, sizeof text, "%ld\n", number);
  if (count_fd >= 0) syscall(SYS_pwrite64, count_fd, text, (size_t)length, (off_t)0);
  if (trace_fd >= 0) {
    char line[PATH_MAX + 64];
    length = snprintf(line, sizeof line, "%ld %s %s\n", number, name, path);
    syscall(SYS_write, trace_fd, line, (size_t)length);
  }
  pthread_mutex_unlock(&lock);
  return fault_at > 0 && (number == fault_at || (is_persistent && number > fault_at));
}

static void die(void) {
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* `some` does half of the work, `all` the whole. */
#define FAULTY(type, name, path, some, all)                 \
  do {                                                      \
    int hit = is_hit(name, path);                           \
    if (hit && half) { some; }                              \
    if (hit && stop_before) syscall(SYS_kill, getpid(), SIGSTOP); \
    if (hit && kill_before) die();                          \
    if (hit && fault_errno) { errno = fault_errno; return (type)-1; } \
    type result = all;                                      \
    if (hit && kill_after) die();                           \
    return result;                                          \
  } while (0)

#define NOTHING (void)0

ssize_t write(int fd, const void *data, size_t size) {
  char path[PATH_MAX];
  if (!fd_is_ours(fd, path)) return REAL(write)(fd, data, size);
  FAULTY(ssize_t, "write", path, (void)!REAL(write)(fd, data, size / 2), REAL(write)(fd, data, size));
}

#define DEFINE_PWRITE(name, offset_type)                                                               \
  ssize_t name(int fd, const void *data, size_t size, offset_type offset) {                            \
    char path[PATH_MAX];                                                                               \
    if (!fd_is_ours(fd, path)) return REAL(name)(fd, data, size, offset);                              \
    FAULTY(ssize_t, "pwrite", path, (void)!REAL(name)(fd, data, size / 2, offset), REAL(name)(fd, data, size, offset)); \
  }
DEFINE_PWRITE(pwrite, off_t)
DEFINE_PWRITE(pwrite64, off64_t)

ssize_t writev(int fd, const struct iovec *parts, int number) {
  char path[PATH_MAX];
  if (!fd_is_ours(fd, path)) return REAL(writev)(fd, parts, number);
  FAULTY(ssize_t, "writev", path, if (number > 0) (void)!REAL(write)(fd, parts[0].iov_base, parts[0].iov_len / 2), REAL(writev)(fd, parts, number));
}

#define DEFINE_PWRITEV(name, offset_type)                                              \
  ssize_t name(int fd, const struct iovec *parts, int number, offset_type offset) {    \
    char path[PATH_MAX];                                                               \
    if (!fd_is_ours(fd, path)) return REAL(name)(fd, parts, number, offset);           \
    FAULTY(ssize_t, "pwritev", path, if (number > 0) (void)!REAL(pwrite)(fd, parts[0].iov_base, parts[0].iov_len / 2, offset), \
           REAL(name)(fd, parts, number, offset));                                     \
  }
DEFINE_PWRITEV(pwritev, off_t)
DEFINE_PWRITEV(pwritev64, off64_t)

#define DEFINE_ON_FD(name, parameters, arguments)                                      \
  int name parameters {                                                                \
    char path[PATH_MAX];                                                               \
    if (!fd_is_ours(fd, path)) return REAL(name) arguments;                            \
    FAULTY(int, #name, path, NOTHING, REAL(name) arguments);                           \
  }
DEFINE_ON_FD(fsync, (int fd), (fd))
DEFINE_ON_FD(fdatasync, (int fd), (fd))
DEFINE_ON_FD(ftruncate, (int fd, off_t length), (fd, length))
DEFINE_ON_FD(ftruncate64, (int fd, off64_t length), (fd, length))

#define DEFINE_ON_PATH(name, at, path_name, parameters, arguments)                     \
  int name parameters {                                                                \
    char whole[PATH_MAX];                                                              \
    if (!path_is_ours(at, path_name, whole)) return REAL(name) arguments;              \
    FAULTY(int, #name, whole, NOTHING, REAL(name) arguments);                          \
  }
DEFINE_ON_PATH(truncate, AT_FDCWD, path, (const char *path, off_t length), (path, length))
DEFINE_ON_PATH(truncate64, AT_FDCWD, path, (const char *path, off64_t length), (path, length))
DEFINE_ON_PATH(rename, AT_FDCWD, to, (const char *from, const char *to), (from, to))
DEFINE_ON_PATH(renameat, to_fd, to, (int from_fd, const char *from, int to_fd, const char *to), (from_fd, from, to_fd, to))
DEFINE_ON_PATH(link, AT_FDCWD, to, (const char *from, const char *to), (from, to))
DEFINE_ON_PATH(symlink, AT_FDCWD, path, (const char *target, const char *path), (target, path))
DEFINE_ON_PATH(rmdir, AT_FDCWD, path, (const char *path), (path))
DEFINE_ON_PATH(unlink, AT_FDCWD, path, (const char *path), (path))
DEFINE_ON_PATH(mkdir, AT_FDCWD, path, (const char *path, mode_t mode), (path, mode))

#define DEFINE_OPEN(name, at, parameters, arguments)                                   \
  int name parameters {                                                                \
    mode_t mode = 0;                                                                   \
    if (flags & (O_CREAT | O_TMPFILE)) {                                               \
      va_list list;                                                                    \
      va_start(list, flags);                                                           \
      mode = va_arg(list, mode_t);                                                     \
      va_end(list);                                                                    \
    }                                                                                  \
    char whole[PATH_MAX];                                                              \
    if ((flags & O_ACCMODE) == O_RDONLY || !path_is_ours(at, path, whole)) return REAL(name) arguments; \
    FAULTY(int, "open", whole, NOTHING, REAL(name) arguments);                         \
  }
DEFINE_OPEN(open, AT_FDCWD, (const char *path, int flags, ...), (path, flags, mode))
DEFINE_OPEN(open64, AT_FDCWD, (const char *path, int flags, ...), (path, flags, mode))
DEFINE_OPEN(openat, at, (int at, const char *path, int flags, ...), (at, path, flags, mode))
DEFINE_OPEN(openat64, at, (int at, const char *path, int flags, ...), (at, path, flags, mode))
