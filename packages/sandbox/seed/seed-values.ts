import { v5 } from 'uuid'
import type { SeedTime } from '../world.ts'
import type { AddressPlan, Day } from './plan.ts'

const NAMESPACE = '6f0d2c53-6f0b-4a5e-9a53-6a1d2f6c8b10'

/** Always the same uuid for the same name: `uk/job/boiler-hartley`. */
export function seedUuid(name: string): string {
  return v5(name, NAMESPACE)
}

export function moment([days, at]: Day): SeedTime {
  return { days, at }
}

/** On one line, as the platform stores it. */
export function addressText({ street, city, state, postcode }: AddressPlan, country: string): string {
  return [street, [city, state, postcode].filter((part) => part !== '').join(' '), country].join(', ')
}
