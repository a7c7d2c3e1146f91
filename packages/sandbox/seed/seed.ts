// The two demo accounts: different trades, currencies and time zones, the same data at every start.
import type { SeedAccount } from '../world.ts'
import { AU_FIRM } from './au-firm.ts'
import { accountOf } from './records.ts'
import { UK_FIRM } from './uk-firm.ts'

/** The first account may see the admin tools in a demonstration. */
export function seedWorld(): SeedAccount[] {
  return [accountOf(UK_FIRM), accountOf(AU_FIRM)]
}
