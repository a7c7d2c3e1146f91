// The facts about one record when a rule is evaluated: its own fields and joined ones, under the names that conditions
// and placeholders use. Everything is text; the catalogue (fields.ts) defines how to read it.

/** A part that needs an extra call; loaded only when a rule uses one of its names. */
export type FactPart = 'contact' | 'company' | 'company_contact' | 'staff' | 'job' | 'queue' | 'category' | 'badge'

export interface RecordFacts {
  /** Normalised object: `job`, `jobactivity`, `company` … */
  object: string
  recordUuid: string
  /** The record's job, or the record itself. */
  jobUuid: string | null
  /** The record's customer, or the record itself. */
  companyUuid: string | null
  /** The platform's `edit_date`, account-local; empty when it has none. */
  editDate: string
  /** False = deleted at the platform (`active` 0). */
  active: boolean
  /** False = its job was deleted; true also where the job was not loaded. */
  jobActive: boolean
  /**
   * Name to value. The record's own fields under the platform's names, plus joined ones: `contact_first_name`,
   * `company_name`, `staff_name`, `job_address` … and the specification's other names (`created_date`, `total_cost`,
   * `assigned_staff`). A missing name is unknown (not loaded, or no such field); an empty text is empty.
   */
  values: Readonly<Record<string, string>>
  parts: readonly FactPart[]
}

/** One field's change between two reads. `from` is null when the record was not seen before. */
export interface FieldChange {
  field: string
  from: string | null
  to: string
}

/** The moment and zone for evaluating a rule: ages in whole calendar days need both. */
export interface JudgedAt {
  /** Epoch ms. */
  now: number
  /** IANA zone of the account. */
  zone: string
}
