// The 25 templates that come with the product.
import { MONEY } from './library-money.ts'
import { VISITS } from './library-visits.ts'
import type { LibraryTemplate } from './template.ts'

export const LIBRARY: readonly LibraryTemplate[] = [...MONEY, ...VISITS]
