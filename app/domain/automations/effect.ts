// What an action plans to do, and its result: complete, final, stored as JSON in the journal before it is carried out.
import type { Reason } from '#app/domain/reason.ts'

/** Decides how an unclear result is handled: see `recover` in journal.ts. */
export type EffectClass =
  /** Sets fields to values: read the record, and repeat if the values are not set. */
  | 'set'
  /** Creates a record under our uuid: look it up, and repeat if it is missing. */
  | 'create'
  /** Creates a file: search for it; in the worst case, repeat. */
  | 'document'
  /** A message to a customer: at most once; a person settles "may have been sent". */
  | 'customer'
  /** A message to staff: search the same way, then repeat. */
  | 'staff'
  /** A call to the user's address: repeat with the same key. */
  | 'webhook'

/** One thing to do, complete and final: texts are resolved. Stored as JSON in the journal before it is done. */
export type Effect =
  | {
      kind: 'create_record'
      class: 'create'
      object: string
      fields: Record<string, string>
      /** Fields whose value is the uuid another effect of the same step received: field to that effect's index. */
      parents: Record<string, number>
      /** Fields read back afterwards and added to the result (`generated_job_id`). */
      readBack: string[]
      summary: string
    }
  | {
      kind: 'update_record'
      class: 'set'
      object: string
      recordUuid: string
      /** Values at planning time, and of a job when it was last edited: displayed, and used to detect "nothing to change". */
      before: Record<string, string>
      fields: Record<string, string>
      /** As in `create_record`: for materials moved to a job created by the same step. */
      parents?: Record<string, number>
      summary: string
    }
  | {
      kind: 'send_sms'
      class: 'customer' | 'staff'
      /** E.164. */
      to: string
      message: string
      credits: number
      regardingJobUuid: string | null
      summary: string
    }
  | {
      kind: 'send_email'
      class: 'customer' | 'staff'
      /** A single address: each receiver is a separate effect. */
      to: string
      cc: string
      replyTo: string
      subject: string
      textBody: string
      htmlBody: string
      regardingJobUuid: string | null
      /** Staff member whose signature replaces the signature tag; null = none. */
      signatureOfStaff: string | null
      /** Attachment uuids known at planning … */
      attachments: string[]
      /** Their names, for people, in the same order; left out = no files, or planned before names were kept. */
      fileNames?: string[]
      /** … and those that a document step (by step id) produces. */
      documentSteps: string[]
      summary: string
    }
  | {
      kind: 'produce_document'
      class: 'document'
      objectType: 'Job' | 'Company'
      objectUuid: string
      templateType: string
      templateUuid: string | null
      outputFormat: 'pdf' | 'docx' | 'jpg'
      fileName: string
      /** The job (or customer) whose files receive it; null = we attach it nowhere. */
      attachTo: { object: 'job' | 'company'; uuid: string } | null
      /** The platform adds it to the job's diary. With `attachTo` null and this false, the document is not kept. */
      storeToDiary: boolean
      summary: string
    }
  | {
      /** Posts to the account-wide feed; only where the installation knows the feed's address. */
      kind: 'post_feed'
      class: 'staff'
      message: string
      showActionBar: boolean
      summary: string
    }
  | {
      kind: 'post_webhook'
      class: 'webhook'
      url: string
      /** JSON text. */
      body: string
      summary: string
    }

export type StepResult = Record<string, string>

export interface PlanWarning {
  /** `no_number`, `not_e164`, `blank_placeholder`, `template_missing`, `muted` …: for tests and icons. */
  code: string
  sentence: string
}

/** A placeholder in a text, and its replacement. */
export interface Replacement {
  /** The name between the braces. */
  variable: string
  /** The whole placeholder as written: braces, fallback and format. Missing in older runs. */
  written?: string
  /** The value from the record, the trigger or the step. */
  originalValue: string
  /** The value inserted into the text, before escaping for its destination. */
  resolvedValue: string
}

/** True when nothing is wrong: a number was only reformatted for messages. */
export function isPlainNote({ code }: PlanWarning): boolean {
  return code === 'not_e164'
}

export type Plan =
  | {
      outcome: 'planned'
      effects: Effect[]
      warnings: PlanWarning[]
      /** What later steps see in a dry run, in words: "new job number (set when it runs)". */
      standIn: StepResult
      /** Every placeholder that was replaced, for the history. */
      replacements: Replacement[]
    }
  /** Deliberately does nothing (nothing to change, or no receiver and the policy says skip). */
  | { outcome: 'skipped'; errorClass: 'nothing_to_do' | 'value_missing'; sentence: Reason; warnings: PlanWarning[] }
  /** Cannot be done as defined: a deleted queue, a missing parameter. Never retried automatically. */
  | { outcome: 'impossible'; errorClass: string; sentence: Reason; warnings: PlanWarning[] }
  /** The platform did not answer a request that the plan needs: try again. */
  | { outcome: 'later'; errorClass: string; sentence: Reason; retryAt: number | null }

export type CommitResult =
  | { outcome: 'sent'; result: StepResult }
  /**
   * A definite failure. `retry` = it may work later (5xx before anything was done, no connection); `notBefore` = the
   * earliest moment that the receiver named.
   */
  | { outcome: 'failed'; errorClass: string; sentence: Reason; retry: boolean; notBefore?: number }
  /** The request was sent and its result is unknown. */
  | { outcome: 'unknown'; sentence: Reason }
  /** The account's call budget or the platform's limit: does not count as an attempt. */
  | { outcome: 'wait'; until: number; sentence: Reason }
  /** Token refused, scope missing, account suspended: no rule of the account can run. */
  | { outcome: 'blocked'; errorClass: 'reconnect' | 'scope' | 'suspended'; sentence: Reason }

/** The result of checking an effect whose outcome is unclear. */
export type VerifyResult =
  | { outcome: 'done'; result: StepResult }
  | { outcome: 'not_done' }
  | { outcome: 'unclear'; sentence: Reason }
  | { outcome: 'later'; sentence: Reason; retryAt: number | null }
