import { type FormEvent, useEffect, useRef, useState } from 'react'

/**
 * Resets a search form on a new URL, except when that URL comes from submitting the form: then the focus and later
 * typing stay. Use `turn` as the form's key. `formOf` reads what was submitted.
 */
export function useFilledAfresh<Asked>(form: Asked, formOf: (typed: URLSearchParams) => Asked) {
  const asked = JSON.stringify(form)
  const [shown, setShown] = useState({ asked, turn: 0 })
  const sent = useRef<string | null>(null)
  if (shown.asked !== asked) setShown({ asked, turn: asked === sent.current ? shown.turn : shown.turn + 1 })
  useEffect(() => {
    if (asked === sent.current) sent.current = null
  }, [asked])
  function onSubmit(event: FormEvent<HTMLFormElement>) {
    const typed = new URLSearchParams()
    for (const [name, value] of new FormData(event.currentTarget)) typed.append(name, String(value))
    const next = JSON.stringify(formOf(typed))
    // No new URL follows a search for the same: later it would be taken for the form's own.
    sent.current = next === asked ? null : next
  }
  return { turn: shown.turn, onSubmit }
}
