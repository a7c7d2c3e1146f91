import { type RefObject, useEffect, useRef } from 'react'

/** For the box around a form that was just opened: whoever pressed Edit goes on typing in it, at what is wrong or else at its start. */
export function useFirstField<Box extends HTMLElement>(): RefObject<Box> {
  const box = useRef<Box>(null)
  useEffect(() => {
    const first = (selector: string) => box.current?.querySelector<HTMLInputElement>(selector)
    const target = first('[aria-invalid]') ?? first('input:not([type=hidden])')
    target?.focus()
  }, [])
  return box
}
