// The reason for a state: stored, compared and passed on. Turned into a sentence only for display.

/** Epoch milliseconds, counts, ids, and quoted text from other systems. */
export type ReasonParams = Readonly<Record<string, string | number | null>>

/** A reason with one of our codes. Each feature has one table of its codes and their texts. */
export interface CodedReason {
  code: string
  params?: ReasonParams
}

/** A string is text from others (platform, receiver, an action on its own effect) or from before there were codes. */
export type Reason = CodedReason | string

/** Null = no reason, or a text, which no code may depend on. */
export function reasonCode(reason: Reason | null | undefined): string | null {
  return typeof reason === 'object' && reason !== null ? reason.code : null
}

/** A sentence for each code, or a function that builds it from the parameters. */
type ReasonTexts = Readonly<Record<string, string | ((params: never) => string)>>

type ParamsOf<Entry> = Entry extends () => string ? [] : Entry extends (params: infer P) => string ? [params: P] : []

/** The reasons of a table, with their parameters and sentences. An unknown code is shown unchanged. */
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
