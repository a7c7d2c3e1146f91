// What the forms for webhooks and forwarding rules share: the library that keeps values and errors, wired to how this page answers.
import { getFormProps, type Submission, type SubmissionResult, useForm } from '@conform-to/react'
import { useNavigation } from '@remix-run/react'
import { useMemo, useState } from 'react'
import type { EndpointKey } from '#app/domain/endpoint-key.ts'
import { useOnDemand } from '#app/ui/on-demand.tsx'
import type { FormResult, ManagerIntent } from './form-result.ts'

type Check = (formData: FormData) => Submission<unknown>

interface ManagerFormOptions<Values extends Record<string, string>> {
  id: string
  /** The server's refusal of this very form, if that is what is being shown. */
  result: FormResult | null
  defaultValue: Values
  /** Fetches the schema's check; the same function on every render. */
  loadCheck: () => Promise<Check>
}

/**
 * A form that is checked on submit and from then on with every change, by the same schema here and on the server.
 * Until the check has arrived (or when it cannot) the server alone decides: nothing is lost but speed.
 */
export function useManagerForm<Values extends Record<string, string>>(options: ManagerFormOptions<Values>) {
  const { id, result, defaultValue, loadCheck } = options
  const [touched, setTouched] = useState(false)
  const { part: check } = useOnDemand(loadCheck, touched)
  const lastResult = useMemo(() => (result ? asLastResult(result) : null), [result])

  const [form, fields] = useForm<Values>({
    id,
    lastResult,
    // biome-ignore lint/suspicious/noExplicitAny: conform asks for its own recursive type, which plain texts satisfy.
    defaultValue: defaultValue as any,
    shouldValidate: 'onSubmit',
    // Without a check here, checking again would mean sending the form.
    shouldRevalidate: check ? 'onInput' : 'onSubmit',
    // biome-ignore lint/suspicious/noExplicitAny: what the check yields is only read for its errors.
    onValidate: check ? ({ formData }) => check(formData) as any : undefined,
  })

  return {
    form,
    fields,
    formProps: { ...getFormProps(form), onFocus: () => setTouched(true) },
    /** Has the focus when the page opens with the refusal, scripts or not. */
    firstInvalid: result
      ? Object.keys(defaultValue).find((name) => (result.fieldErrors[name]?.length ?? 0) > 0)
      : undefined,
  }
}

function asLastResult(result: FormResult): SubmissionResult {
  const names = [...Object.keys(result.values), ...Object.keys(result.fieldErrors)]
  return {
    status: 'error',
    initialValue: result.values,
    error: { ...result.fieldErrors, ...(result.formError ? { '': [result.formError] } : {}) },
    state: { validated: Object.fromEntries(names.map((name) => [name, true])) },
  }
}

/** Is this form on its way? `id` is the card's, for update and delete. */
export function useSending(intent: ManagerIntent, id?: EndpointKey): boolean {
  const { state, formData } = useNavigation()
  if (state === 'idle' || formData?.get('intent') !== intent) return false
  return id === undefined || formData.get('id') === String(id)
}
