// Build output for the long-work thread, separate from the server.
export const LONG_WORK = new URL('../build/long-work.js', import.meta.url)
export const LONG_WORK_SOURCE = 'app/boot/long-work-thread.server.ts'
