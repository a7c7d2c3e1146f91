// What an action would do, and what became of it: complete, final, kept as JSON in the journal before it is done.
import type { Reason } from '#app/domain/reason.ts'

/** Decides what an unclear end means: see `recover` in journal.ts. */
export type EffectClass =
  /** Sets fields to values: read, and repeat when it is not so yet. */
  | 'set'
  /** Makes a record under a uuid of ours: look, and repeat when it is not there. */
  | 'create'
  /** Makes a file: look for it, repeat in the worst case. */
  | 'document'
  /** A message to a customer: at most once; "may have been sent" is for a person to settle. */
  | 'customer'
  /** A message to staff: the same search, then repeated. */
  | 'staff'
  /** A call of the user's address: repeated under the same key. */
  | 'webhook'

/** One thing to do, complete and final: texts are resolved. Kept as JSON in the journal before it is done. */
export type Effect =
  | {
      kind: 'create_record'
      class: 'create'
      object: string
      fields: Record<string, string>
      /** Fields whose value is the uuid another effect of the same step really got: field to that effect's index. */
      parents: Record<string, number>
      /** Read back afterwards and added to the result (`generated_job_id`). */
      readBack: string[]
      summary: string
    }
  | {
      kind: 'update_record'
      class: 'set'
      object: string
      recordUuid: string
      /** What it was when planned: shown, and "nothing to change" is recognised. */
      before: Record<string, string>
      fields: Record<string, string>
      /** As in `create_record`: materials that are moved to a job made by the same step. */
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
      /** One address: several receivers are several effects. */
      to: string
      cc: string
      replyTo: string
      subject: string
      textBody: string
      htmlBody: string
      regardingJobUuid: string | null
      /** Staff member whose signature replaces the signature tag; null = none. */
      signatureOfStaff: string | null
      /** Attachment uuids known when planned … */
      attachments: string[]
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
      /** The job (or customer) whose files it joins; null = it is no file of ours. */
      attachTo: { object: 'job' | 'company'; uuid: string } | null
      /** The platform files it in the job's diary itself. With `attachTo` null and this false, the document is not kept. */
      storeToDiary: boolean
      summary: string
    }
  | {
      /** Into the account-wide feed; only where the installation knows its address. */
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

/** A placeholder of a text, and what came of it. */
export interface Replacement {
  /** The name, as written between the braces. */
  variable: string
  /** The whole placeholder as it stands in the text: braces, fallback and format. Runs kept from before have none. */
  written?: string
  /** The value as the record, the trigger or the step has it. */
  originalValue: string
  /** What stands in the text, before it was escaped for its destination. */
  resolvedValue: string
}

/** Nothing is wrong: a number was only written the way messages want it. */
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
  /** Deliberately nothing to do (nothing to change, nobody to write to and the policy says skip). */
  | { outcome: 'skipped'; sentence: Reason; warnings: PlanWarning[] }
  /** Cannot be done as it stands: a deleted queue, a missing parameter. Never repeated by itself. */
  | { outcome: 'impossible'; errorClass: string; sentence: Reason; warnings: PlanWarning[] }
  /** The platform did not answer a question the plan needs: try again. */
  | { outcome: 'later'; errorClass: string; sentence: Reason; retryAt: number | null }

export type CommitResult =
  | { outcome: 'sent'; result: StepResult }
  /** A clear no. `retry` = the same may work later (5xx before anything was done, no connection). */
  | { outcome: 'failed'; errorClass: string; sentence: Reason; retry: boolean }
  /** The request went out and nobody knows what became of it. */
  | { outcome: 'unknown'; sentence: Reason }
  /** The account's bucket or the platform's limit: costs no attempt. */
  | { outcome: 'wait'; until: number; sentence: Reason }
  /** Token refused, scope missing, account suspended: no rule of the account can work. */
  | { outcome: 'blocked'; errorClass: 'reconnect' | 'scope' | 'suspended'; sentence: Reason }

/** What looking afterwards shows about an effect whose end is unclear. */
export type VerifyResult =
  | { outcome: 'done'; result: StepResult }
  | { outcome: 'not_done' }
  | { outcome: 'unclear'; sentence: Reason }
  | { outcome: 'later'; sentence: Reason; retryAt: number | null }
