// Why something stands as it does: what is stored, compared and handed on. Sentences are made from it where somebody reads them.

/** Epoch milliseconds, counts, ids, and texts of others that a sentence quotes. */
export type ReasonParams = Readonly<Record<string, string | number | null>>

/** A reason of ours. Which codes there are, and what each says, is one table per feature. */
export interface CodedReason {
  code: string
  params?: ReasonParams
}

/** A string is a text that others wrote (a platform, a receiver, an action about its own effect), or one from before there were codes. */
export type Reason = CodedReason | string

/** Null = none, or a text that nothing may be decided by. */
export function reasonCode(reason: Reason | null | undefined): string | null {
  return typeof reason === 'object' && reason !== null ? reason.code : null
}

/** A sentence for each code; with parameters, made from them. */
type ReasonTexts = Readonly<Record<string, string | ((params: never) => string)>>

type ParamsOf<Entry> = Entry extends () => string ? [] : Entry extends (params: infer P) => string ? [params: P] : []

/** The reasons of a table, with the parameters their sentences take, and what a person reads. An unknown code is shown as it is. */
export function reasonsOf<Texts extends ReasonTexts>(texts: Texts) {
  return {
    reason: <Code extends keyof Texts & string>(code: Code, ...[params]: ParamsOf<Texts[Code]>): CodedReason =>
      params === undefined ? { code } : { code, params: params as ReasonParams },
    text(reason: Reason): string {
      if (typeof reason === 'string') return reason
      const entry = Object.hasOwn(texts, reason.code) ? texts[reason.code] : undefined
      if (typeof entry === 'function') return (entry as (params: ReasonParams) => string)(reason.params ?? {})
      return entry ?? reason.code
    },
  }
}
