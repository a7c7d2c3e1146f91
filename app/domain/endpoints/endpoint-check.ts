// The steps of checking an address.
export type StepName = 'address' | 'name' | 'connection' | 'certificate' | 'redirect' | 'answer' | 'latest'

export type StepVerdict = 'ok' | 'warn' | 'fail' | 'skipped'

export interface CheckStep {
  name: StepName
  verdict: StepVerdict
  sentence: string
  /** The fix; null = none needed, or none known. */
  fix: string | null
  /** Of `latest`: was that event answered, and the check came as far? Missing = stored before it was noted. */
  atAnswer?: boolean
}

/** Returns the worst of all steps; null when every step is `ok`. */
export function worstStep(steps: readonly CheckStep[]): CheckStep | null {
  return steps.find((step) => step.verdict === 'fail') ?? steps.find((step) => step.verdict === 'warn') ?? null
}
