// How a demo firm is described: in an owner's terms, with short names instead of uuids. `records.ts` converts it to the
// platform's records.
import type { JobStatus } from '../world.ts'

/** A day from today (negative: before) at a wall-clock time `HH:MM` of the account. */
export type Day = readonly [days: number, at: string]

export interface FirmPlan {
  /** Prefix of the short names from which uuids are derived: `uk`, `au`. */
  key: string
  /** The account UUID. */
  uuid: string
  vendor: Record<string, string | number> & { name: string; timezone_name: string; currency: string }
  /** Centre of the jobs' locations: `lat` and `lng` lie around it. */
  centre: { lat: number; lng: number; country: string }
  /** Name and percentage of the tax on invoices. */
  tax: { name: string; percent: string }
  staff: readonly StaffPlan[]
  queues: readonly QueuePlan[]
  /** Name and colour (six hex digits). */
  categories: Readonly<Record<string, readonly [name: string, colour: string, inactive?: 'inactive']>>
  badges: Readonly<Record<string, string>>
  materials: Readonly<Record<string, MaterialPlan>>
  bundles: readonly BundlePlan[]
  emailTemplates: readonly (readonly [name: string, subject: string, message: string])[]
  smsTemplates: readonly (readonly [name: string, message: string])[]
  documentTemplates: readonly (readonly [name: string, type: string])[]
  jobTemplates: readonly string[]
  /** Names of forms with their questions. */
  forms: readonly FormPlan[]
  suppliers: readonly { name: string; email: string; phone: string; address: string }[]
  clients: readonly ClientPlan[]
  jobs: readonly JobPlan[]
}

interface StaffPlan {
  key: string
  first: string
  last: string
  title: string
  email: string
  mobile: string
  colour: string
  inactive?: true
}

interface QueuePlan {
  key: string
  name: string
  days: number
  requiresAssignment?: true
  inactive?: true
}

interface MaterialPlan {
  name: string
  number: string
  price: number
  cost: number
  stock?: number
  about?: string
  inactive?: true
}

interface BundlePlan {
  number: string
  name: string
  /** Keys of materials with quantities. */
  parts: readonly (readonly [material: string, quantity: number])[]
}

interface FormPlan {
  key: string
  name: string
  badge: string
  questions: readonly (readonly [question: string, type: string])[]
}

export interface AddressPlan {
  street: string
  city: string
  state: string
  postcode: string
}

export interface PersonPlan {
  first: string
  last: string
  mobile?: string
  phone?: string
  email?: string
}

export interface ClientPlan {
  key: string
  name: string
  individual?: true
  address: AddressPlan
  /** The first one is the primary contact. */
  people: readonly PersonPlan[]
  website?: string
  terms?: string
  badges?: readonly string[]
  inactive?: true
}

export interface JobPlan {
  key: string
  /** The human number. */
  number: number
  status: JobStatus
  client: string
  category: string
  description: string
  work?: string
  created: Day
  quoted?: Day
  quoteSent?: Day
  won?: Day
  completed?: Day
  lost?: Day
  invoiced?: Day
  /** Default: the client's. */
  address?: AddressPlan
  /** Contact on site. Default: the client's primary contact. `null`: no contact. */
  contact?: PersonPlan | null
  order?: string
  lines?: readonly (readonly [material: string, quantity: number])[]
  /** Key of a bundle that is added to the job after its own lines. */
  bundle?: string
  queue?: { key: string; until: Day; staff?: string }
  badges?: readonly string[]
  bookings?: readonly (readonly [staff: string, days: number, from: string, to: string])[]
  visits?: readonly (readonly [staff: string, days: number, from: string, to: string])[]
  notes?: readonly (readonly [staff: string, day: Day, text: string])[]
  /** An amount, or 'rest' for the remaining balance. */
  payments?: readonly (readonly [day: Day, amount: number | 'rest', method: string])[]
  photos?: readonly (readonly [day: Day, name: string])[]
  files?: readonly (readonly [day: Day, name: string])[]
  tasks?: readonly { name: string; details?: string; due: number; staff: string; done?: Day }[]
  form?: { key: string; day: Day; staff: string; answers: readonly string[] }
  inactive?: true
}
