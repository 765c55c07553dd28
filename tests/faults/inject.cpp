// A library to preload (LD_PRELOAD) that lets one call of the system fail: BRIM_FAULT=KIND:N fails the N-th call of that kind
// that the program makes within main(). KIND: malloc, write, fsync, rename, thread. With N = 0 none fails. BRIM_FAULT_COUNT=FILE:
// at the end the number of calls is written there.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atomic>

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
}

namespace {

enum Kind { none, allocation, writing, syncing, renaming, threading };
Kind chosen = none;
long wanted = 0;
std::atomic<long> calls{0};
std::atomic<bool> armed{false};

thread_local bool fatal = false;  // within a call where glibc itself ends the program if it has no memory

bool fails(Kind kind) { return kind == chosen && !fatal && armed.load() && calls.fetch_add(1) + 1 == wanted; }

void choose() {
  const char* const text = getenv("BRIM_FAULT");
  if (!text) return;
  const struct {
    const char* name;
    Kind kind;
  } kinds[] = {{"malloc:", allocation}, {"write:", writing}, {"fsync:", syncing}, {"rename:", renaming}, {"thread:", threading}};
  for (const auto& k : kinds)
    if (strncmp(text, k.name, strlen(k.name)) == 0) chosen = k.kind, wanted = atol(text + strlen(k.name));
}

void tell() {
  armed = false;
  const char* const file = getenv("BRIM_FAULT_COUNT");
  if (!file) return;
  char digits[32];
  const int n = snprintf(digits, sizeof digits, "%ld\n", calls.load());
  const int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return;
  if (write(fd, digits, size_t(n)) != n) abort();
  close(fd);
}

template <class F>
F* next(F*, const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

using Main = int (*)(int, char**, char**);
Main theirs = nullptr;
int ours(int argc, char** argv, char** environment) {
  choose();
  armed = true;
  const int code = theirs(argc, argv, environment);
  tell();
  return code;
}

}  // namespace

extern "C" {

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(), void (*loader)(), void* stack) {
  theirs = main;
  static const auto real = next(&__libc_start_main, "__libc_start_main");
  return real(ours, argc, argv, init, fini, loader, stack);
}

// "Fatal glibc error: failed to register TLS destructor": no program can do anything about that.
int __cxa_thread_atexit_impl(void (*end)(void*), void* object, void* library) {
  static const auto real = next(&__cxa_thread_atexit_impl, "__cxa_thread_atexit_impl");
  fatal = true;
  const int code = real(end, object, library);
  fatal = false;
  return code;
}

void* malloc(size_t n) {
  if (fails(allocation)) return errno = ENOMEM, nullptr;
  return __libc_malloc(n);
}
void* calloc(size_t n, size_t size) {
  if (fails(allocation)) return errno = ENOMEM, nullptr;
  return __libc_calloc(n, size);
}
void* realloc(void* old, size_t n) {
  if (fails(allocation)) return errno = ENOMEM, nullptr;
  return __libc_realloc(old, n);
}
void* memalign(size_t align, size_t n) {
  if (fails(allocation)) return errno = ENOMEM, nullptr;
  return __libc_memalign(align, n);
}
void* aligned_alloc(size_t align, size_t n) { return memalign(align, n); }
int posix_memalign(void** out, size_t align, size_t n) {
  void* const p = memalign(align, n);
  if (!p) return ENOMEM;
  *out = p;
  return 0;
}

ssize_t write(int fd, const void* data, size_t n) {
  static const auto real = next(&write, "write");
  if (fd > 2 && fails(writing)) return errno = ENOSPC, -1;
  return real(fd, data, n);
}
ssize_t pwrite(int fd, const void* data, size_t n, off_t at) {
  static const auto real = next(&pwrite, "pwrite");
  if (fails(writing)) return errno = ENOSPC, -1;
  return real(fd, data, n, at);
}
int fsync(int fd) {
  static const auto real = next(&fsync, "fsync");
  if (fails(syncing)) return errno = EIO, -1;
  return real(fd);
}
int rename(const char* from, const char* to) {
  static const auto real = next(&rename, "rename");
  if (fails(renaming)) return errno = EIO, -1;
  return real(from, to);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*body)(void*), void* argument) {
  static const auto real = next(&pthread_create, "pthread_create");
  if (fails(threading)) return EAGAIN;
  return real(thread, how, body, argument);
}

}  // extern "C"
