// Stands between SQLite and the kernel (LD_PRELOAD, Linux). Keeps in a second folder exactly what has been synced of the
// database and its log, and makes writes and syncs slow or fail: as told through an array of ints shared with the proof.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
enum { SYNC_MS, SYNC_ERROR, WRITE_ERROR, KILL_AT_WRITE, SYNCS, WORDS };
static volatile int none[WORDS], *told = none;
static const char *database, *shadow;
static int64_t from[2] = {INT64_MAX, INT64_MAX}, to[2]; // Written since the last sync, of the database and of its log.

__attribute__((constructor)) static void begin(void) {
  database = getenv("PROOF_DATABASE"), shadow = getenv("PROOF_SHADOW");
  int fd = getenv("PROOF_CONTROL") ? open(getenv("PROOF_CONTROL"), O_RDWR) : -1;
  void *shared = mmap(NULL, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (shared != MAP_FAILED) told = shared;
}
static int fileOf(int fd) { // 0 = the database, 1 = its log, -1 = something else.
  char link[40], path[4096] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  if (!database || readlink(link, path, sizeof path - 1) < 0 || strncmp(path, database, strlen(database))) return -1;
  return path[strlen(database)] == 0 ? 0 : strcmp(path + strlen(database), "-wal") == 0 ? 1 : -1;
}
static pthread_mutex_t stretches = PTHREAD_MUTEX_INITIALIZER;
static void wrote(int file, int64_t at, int64_t end) { // Noted after the write: a sync that begins before it is not told of it.
  if (file < 0 || at >= end) return;
  pthread_mutex_lock(&stretches);
  from[file] = at < from[file] ? at : from[file], to[file] = end > to[file] ? end : to[file];
  pthread_mutex_unlock(&stretches);
}
ssize_t pwrite64(int fd, const void *bytes, size_t size, int64_t at) {
  int file = fileOf(fd);
  if (file >= 0) {
    if (told[KILL_AT_WRITE] > 0 && --told[KILL_AT_WRITE] == 0) kill(getpid(), SIGKILL);
    if ((errno = told[WRITE_ERROR])) return -1;
  }
  ssize_t done = ((ssize_t(*)(int, const void *, size_t, int64_t))dlsym(RTLD_NEXT, "pwrite64"))(fd, bytes, size, at);
  return wrote(file, at, at + (int64_t)size), done;
}
int ftruncate64(int fd, int64_t size) {
  int file = fileOf(fd);
  if (file >= 0 && (errno = told[WRITE_ERROR])) return -1;
  int done = ((int (*)(int, int64_t))dlsym(RTLD_NEXT, "ftruncate64"))(fd, size);
  return wrote(file, size, INT64_MAX), done;
}
// Syncs run in other threads than writes: each takes the stretch that was written before it began.
int fsync(int fd) {
  int file = fileOf(fd);
  int64_t at = 0, end = 0, done = 0;
  if (file >= 0) {
    if ((errno = told[SYNC_ERROR])) return -1;
    pthread_mutex_lock(&stretches);
    at = from[file], end = to[file], from[file] = INT64_MAX, to[file] = 0;
    pthread_mutex_unlock(&stretches);
  }
  if (((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd)) return wrote(file, at, end), -1;
  if (file >= 0) usleep(told[SYNC_MS] * 1000), told[SYNCS]++;
  if (file < 0 || !shadow) return 0;
  char name[4096], part[65536];
  snprintf(name, sizeof name, "%s%s%s", shadow, strrchr(database, '/'), file ? "-wal" : "");
  int copy = open(name, O_RDWR | O_CREAT, 0600);
  for (; at < end && (done = pread(fd, part, sizeof part, at)) > 0; at += done)
    if (pwrite(copy, part, done, at) != done) abort();
  if (done < 0 || ftruncate(copy, lseek(fd, 0, SEEK_END)) || close(copy)) abort();
  return 0;
}
int fdatasync(int fd) { return fsync(fd); }
