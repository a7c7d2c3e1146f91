// The values that placeholders have in a real record: asked for when the list of them opens, once for every list of the form.
import { useEffect, useState } from 'react'
import type { Samples } from '../form-look.ts'
import { askLook } from './ask-look.tsx'
import { type RuleFormTools, useRuleForm } from './form-context.tsx'

/** `message` = why there are none; both null = not there yet. */
export interface SamplesShown {
  samples: Samples | null
  message: string | null
}

/** ms */
const FRESH_FOR = 60_000
let last: { key: string; at: number; answer: Promise<SamplesShown> } | null = null

export function useSamples(): SamplesShown {
  const { state, accountUUID, example } = useRuleForm()
  const [shown, setShown] = useState<SamplesShown>({ samples: null, message: null })
  useEffect(() => {
    let current = true
    void samplesOf({ state, accountUUID, example }).then((found) => {
      if (current) setShown(found)
    })
    return () => {
      current = false
    }
  }, [state, accountUUID, example])
  return shown
}

function samplesOf({
  state,
  accountUUID,
  example,
}: Pick<RuleFormTools, 'state' | 'accountUUID' | 'example'>): Promise<SamplesShown> {
  const { triggerSource, events, apiEndpoint } = state.values
  const key = JSON.stringify([accountUUID, example, triggerSource, events, apiEndpoint])
  const now = performance.now()
  if (last && last.key === key && now - last.at < FRESH_FOR) return last.answer
  const answer = askLook({ accountUUID, state, look: 'samples', record: example }).then((found): SamplesShown => {
    if (found.kind === 'samples') return { samples: found, message: null }
    // The next list asks again.
    last = null
    return { samples: null, message: found.kind === 'trouble' ? found.message : null }
  })
  last = { key, at: now, answer }
  return answer
}
