// Long work without a thread: what it does is the same.
import { createWorkApart } from '#app/engine/work-apart.server.ts'
import { LONG_WORK } from '#app/features/automations/page/long-work.ts'

export const WORK_AT_ONCE = createWorkApart(LONG_WORK, { file: null })
