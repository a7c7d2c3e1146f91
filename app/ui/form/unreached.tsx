// A press that did not reach the server: the form stays, with what was typed.
import { type ClientActionFunctionArgs, useActionData } from '@remix-run/react'
import type { Flash } from '#app/lib/flash.ts'
import { isUnreachable } from '../page/error-page.tsx'
import { BACKGROUND } from './background.ts'

// Also for what cannot be taken back, such as a text that is sent.
const TOAST: Flash = {
  kind: 'error',
  title: 'No connection',
  description: 'It may not have been done. Check, then try again.',
}

export const UNREACHED = `${TOAST.title}. ${TOAST.description}`

interface Unreached {
  /** False = the server answered a look in the background with an error. */
  unreached: boolean
  toast: Flash
  /** Like the refusal of a form, with what was sent. */
  result: { fieldErrors: Record<string, string[]>; formError: string; values: Record<string, string> }
}

/** A page with forms exports this as `clientAction`. Without it, a press without network replaces the page by an error. */
export async function keepForm({ request, serverAction }: ClientActionFunctionArgs): Promise<unknown> {
  const sent = request.clone()
  try {
    return await serverAction()
  } catch (error) {
    const values = Object.fromEntries([...(await sent.formData())].map(([name, value]) => [name, String(value)]))
    // Whatever came of a look in the background, the page stays.
    if (values[BACKGROUND.name] !== BACKGROUND.value && !isUnreachable(error)) throw error
    const answer: Unreached = {
      unreached: isUnreachable(error),
      toast: TOAST,
      result: { fieldErrors: {}, formError: UNREACHED, values },
    }
    // After a status like this the router loads nothing again, which would fail, too.
    // Not Response.json: Safari before 17 does not know it.
    return new Response(JSON.stringify(answer), { status: 503, headers: { 'Content-Type': 'application/json' } })
  }
}

/** The last press, when it did not reach the server. */
export function useUnreached(): Unreached | null {
  const answered = useActionData<object>()
  return answered && 'unreached' in answered ? (answered as Unreached) : null
}
