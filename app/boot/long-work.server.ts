// Connects all work that runs off the main thread: see decision 0037.
import type { LongWork } from '#app/context/app-context.ts'
import { AUTOMATIONS_WORK } from '#app/features/automations/page/long-work.ts'
import { TEMPLATES_WORK } from '#app/features/templates/long-work.ts'

export const LONG_WORK = { ...AUTOMATIONS_WORK, ...TEMPLATES_WORK } satisfies LongWork
