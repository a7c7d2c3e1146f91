// The thread for long work: built as a separate file (build/long-work.js), started by `engine/work-apart.server.ts`.
import { serveWork } from '#app/engine/work-thread.server.ts'
import { LONG_WORK } from './long-work.server.ts'

serveWork(LONG_WORK)
