// What the engine knows about one record when a rule looks at it: its own fields and what is joined to it, under the names
// that conditions and placeholders use. Everything is text; the catalogue (fields.ts) says how to read it.

/** A part that needs a call of its own; loaded only when a rule asks for one of its names. */
export type FactPart = 'contact' | 'company' | 'company_contact' | 'staff' | 'job' | 'queue' | 'category'

export interface RecordFacts {
  /** Normalised object: `job`, `jobactivity`, `company` … */
  object: string
  recordUuid: string
  /** The job it is, or belongs to. */
  jobUuid: string | null
  /** The customer it is, or belongs to. */
  companyUuid: string | null
  /** The platform's `edit_date`, account-local; empty when it has none. */
  editDate: string
  /** False = deleted at the platform (`active` 0). */
  active: boolean
  /**
   * Name to value. The record's own fields under the platform's names, plus joined ones: `contact_first_name`, `company_name`,
   * `staff_name`, `job_address` … and the specification's other names (`created_date`, `total_cost`, `assigned_staff`).
   * A name that is absent is unknown (not loaded, or no such field); an empty text is empty.
   */
  values: Readonly<Record<string, string>>
  /** Which parts were loaded. */
  parts: readonly FactPart[]
}

/** One field's change between two looks. `from` is null when the record was not seen before. */
export interface FieldChange {
  field: string
  from: string | null
  to: string
}

/** The moment and place a rule is judged at: ages in whole calendar days need both. */
export interface JudgedAt {
  /** Epoch ms. */
  now: number
  /** IANA zone of the account. */
  zone: string
}
