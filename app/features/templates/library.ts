// The 29 built-in templates.
import { MESSAGES } from './library-messages.ts'
import { MONEY } from './library-money.ts'
import { VISITS } from './library-visits.ts'
import type { LibraryTemplate } from './template.ts'

export const LIBRARY: readonly LibraryTemplate[] = [...MONEY, ...VISITS, ...MESSAGES]
