// Does long work without a thread, with the same results.
import { LONG_WORK } from '#app/boot/long-work.server.ts'
import { createWorkApart } from '#app/engine/work-apart.server.ts'

export const WORK_AT_ONCE = createWorkApart(LONG_WORK, { file: null })
