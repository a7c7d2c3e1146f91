// The thread for long work: built as a file of its own (build/long-work.js), begun by `engine/work-apart.server.ts`.
import { serveWork } from './engine/work-thread.server.ts'
import { LONG_WORK } from './features/automations/long-work.ts'

serveWork(LONG_WORK)
