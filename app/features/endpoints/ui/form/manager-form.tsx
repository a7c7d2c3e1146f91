// Shared by the forms for webhooks and forwarding rules: connects the form library to this page's answers.
import { getFormProps, type Submission, type SubmissionResult, useForm } from '@conform-to/react'
import { useMemo, useState } from 'react'
import { useOnDemand } from '#app/ui/on-demand.tsx'
import type { FormResult } from './form-result.ts'

type Check = (formData: FormData) => Submission<unknown>

interface ManagerFormOptions<Values extends Record<string, string>> {
  id: string
  /** The server's refusal of this form; null when it does not apply. */
  result: FormResult | null
  defaultValue: Values
  /** Loads the schema's check; must be the same function on every render. */
  loadCheck: () => Promise<Check>
}

/**
 * A form that is validated on submit and from then on at every change, with the same schema here and on the server.
 * Until the check has loaded (or if it cannot), the server validates alone, which is only slower.
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
    // Without a check here, revalidating would submit the form.
    shouldRevalidate: check ? 'onInput' : 'onSubmit',
    // biome-ignore lint/suspicious/noExplicitAny: what the check yields is only read for its errors.
    onValidate: check ? ({ formData }) => check(formData) as any : undefined,
  })

  return {
    form,
    fields,
    formProps: { ...getFormProps(form), onFocus: () => setTouched(true) },
    /** The field to focus when the page opens with the refusal, with or without scripts. */
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
