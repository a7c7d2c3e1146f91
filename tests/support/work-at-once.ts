// Long work without a thread: what it does is the same.
import { LONG_WORK } from '#app/boot/long-work.server.ts'
import { createWorkApart } from '#app/engine/work-apart.server.ts'

export const WORK_AT_ONCE = createWorkApart(LONG_WORK, { file: null })
