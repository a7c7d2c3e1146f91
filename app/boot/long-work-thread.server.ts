// The thread for long work: built as a file of its own (build/long-work.js), begun by `engine/work-apart.server.ts`.
import { serveWork } from '#app/engine/work-thread.server.ts'
import { LONG_WORK } from './long-work.server.ts'

serveWork(LONG_WORK)
