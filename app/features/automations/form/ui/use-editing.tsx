// State, errors and button handlers of the rule form, with scripts.
import { useFetcher, useNavigation, useSubmit } from '@remix-run/react'
import { type FormEvent, startTransition, useEffect, useMemo, useRef, useState } from 'react'
import type { Flash } from '#app/lib/flash.ts'
import { useOnDemand } from '#app/ui/on-demand.tsx'
import { useToast } from '#app/ui/toast/toast.tsx'
import { authenticationFlash, formErrorFlash } from '../../rules/form-text.ts'
import type { FieldErrors } from '../../rules/rule-form.ts'
import { MENU, openParts, placeAfter } from '../form-blocks.ts'
import { applyControls, applyIntent, setValue } from '../form-change.ts'
import { type FormIntent, parseFormIntent } from '../form-intent.ts'
import { FORM } from '../form-preview.ts'
import { type FormState, isSameForm } from '../form-state.ts'
import type { FormView } from '../form-view.ts'
import { partId } from './block.tsx'
import { findWork, forgetWork, keepWork, workKey } from './kept-work.tsx'

async function loadProblems() {
  await import('#app/ui/zod-without-eval.ts')
  return (await import('../form-check.ts')).problemsOf
}

export interface Edited {
  /** From the address; '' = not signed in. */
  accountUUID: string
  /** The signed-in staff member; '' = unknown. */
  person: string
  /** What the address opens: `new-…`, `edit-7`, `copy-3`; anything else is an answer to a press. */
  opened: string
  /** As the server drew it; a new one (a rule to edit, a copy, a rejected save) replaces the form on screen. */
  form: FormView
}

/** The form's content, and which kept work it is. */
interface Work {
  key: string
  state: FormState
}

/** `new-123` is a new form after another one was saved. */
function nameOf({ opened, form }: Edited): string {
  const plain = /^(new|edit-\d+|copy-\d+)/.exec(opened)?.[1]
  if (plain) return plain
  return form.state.ruleId === null ? 'new' : `edit-${form.state.ruleId}`
}

const isPlain = (opened: string) => /^(new|edit|copy)-/.test(opened)

export function useEditing(edited: Edited) {
  const { accountUUID, person, opened, form } = edited
  const [work, setWork] = useState<Work>({ key: '', state: form.state })
  const [errors, setErrors] = useState(form.errors)
  const [open, setOpen] = useState(() => openParts(form.state, form.errors, form.at))
  const [alive, setAlive] = useState(false)
  const [recheck, setRecheck] = useState(false)
  const [stale, setStale] = useState(false)
  const [discarded, setDiscarded] = useState<FormState | null>(null)
  const focus = useFocusAfter([work, errors, open])
  const saving = useSaving()
  const { part: problemsOf } = useOnDemand(loadProblems, recheck)
  const { state } = work
  const key = workKey(accountUUID, person, nameOf(edited))

  const begin = (next: FormState, wrong: FieldErrors = {}) => {
    setWork({ key, state: next })
    setErrors(wrong)
    setOpen(openParts(next, wrong))
    setRecheck(false)
    setDiscarded(null)
  }
  /** What was typed before and not saved takes the place of what the server drew. */
  const resume = (drawn: FormState, wrong: FieldErrors) => {
    const kept = isPlain(opened) ? findWork(key, form.saved) : null
    setStale(kept?.stale ?? false)
    begin(kept?.state ?? drawn, kept ? {} : wrong)
  }

  useEffect(() => {
    const element = document.getElementById(FORM)
    // Keep what the user typed before hydration.
    const typed = element instanceof HTMLFormElement ? applyControls(form.state, new FormData(element)) : form.state
    // As a transition: what the server drew stays while the scripts of its lower part still load.
    startTransition(() => {
      if (isSameForm(typed, form.state)) resume(typed, form.errors)
      else setWork({ key, state: typed })
      setAlive(true)
    })
  }, [])

  const drawn = useMemo(() => JSON.stringify([form.state, form.errors]), [form])
  const last = useRef({ drawn, key, saving: false })
  useEffect(() => {
    const before = last.current
    const answered = before.saving && !saving
    if (drawn === before.drawn && key === before.key && !answered) {
      last.current = { drawn, key, saving }
      return
    }
    last.current = { drawn, key, saving }
    // It was saved: the form is another one now.
    if (answered && isPlain(opened)) forgetWork(before.key)
    resume(form.state, form.errors)
  }, [drawn, form, saving, key, opened])

  useEffect(() => {
    if (alive && work.key === key) keepOrForget(work, form.saved)
  }, [alive, work, key, form.saved])

  useEffect(() => {
    if (problemsOf && recheck) setErrors(problemsOf(state))
  }, [problemsOf, recheck, state])

  const setState = (change: (last: FormState) => FormState) => {
    setDiscarded(null)
    setWork((before) => ({ key, state: change(before.state) }))
  }
  const showProblems = (problems: FieldErrors, of: FormState) => {
    // An error without a field of its own is that there is no step.
    focus.current = '[aria-invalid], #add-step'
    // With "turn on", the switch is on from here.
    if (of !== state) setState(() => of)
    setErrors(problems)
    setOpen((before) => new Set([...before, ...openParts(of, problems)]))
    setRecheck(true)
  }
  const discard = () => {
    const isCopy = opened.startsWith('copy-') && !isSameForm(state, form.state)
    forgetWork(key)
    setStale(false)
    begin(isCopy ? form.state : form.saved)
    setDiscarded(state)
    focus.current = '[name="name"]'
  }
  return {
    state,
    setState,
    errors,
    open,
    toggle: (part: string, isOpen: boolean) => setOpen((before) => toggled(before, part, isOpen)),
    alive,
    saving,
    unsaved: unsavedOf(state, form, stale),
    discarded,
    undo() {
      if (discarded) begin(discarded)
      focus.current = '[name="name"]'
    },
    /** Opens a part and moves the focus there; '' = the menu of actions. */
    goTo(part: string) {
      focus.current = `#${part === '' ? 'add-step' : partId(part)}`
      setOpen((before) => new Set([...before, part === '' ? MENU : part]))
    },
    onSubmit: useSubmitting({ ...edited, state, saving, key, setState, setOpen, showProblems, discard, focus }),
  }
}

function keepOrForget({ key, state }: Work, saved: FormState): void {
  if (isSameForm(state, saved)) forgetWork(key)
  else keepWork(key, state, saved)
}

/** The target to focus once the form is redrawn: a newly added control does not exist before. */
function useFocusAfter(drawn: readonly unknown[]) {
  const focus = useRef<string | null>(null)
  useEffect(() => {
    if (focus.current === null) return
    const target = focusTarget(focus.current)
    focus.current = null
    target?.focus()
  }, drawn)
  return focus
}

/** The same set when nothing changes: a part tells about every change, also of ours. */
function toggled(before: Set<string>, part: string, isOpen: boolean): Set<string> {
  if (before.has(part) === isOpen) return before
  return new Set(isOpen ? [...before, part] : [...before].filter((one) => one !== part))
}

export type Unsaved = 'none' | 'new' | 'changed' | 'stale'

function unsavedOf(state: FormState, { saved }: FormView, stale: boolean): Unsaved {
  if (isSameForm(state, saved)) return 'none'
  if (stale) return 'stale'
  return state.ruleId === null ? 'new' : 'changed'
}

interface Submitting extends Edited {
  state: FormState
  saving: boolean
  key: string
  setState(change: (last: FormState) => FormState): void
  setOpen(change: (before: Set<string>) => Set<string>): void
  showProblems(problems: FieldErrors, of: FormState): void
  discard(): void
  focus: { current: string | null }
}

function useSubmitting(tools: Submitting) {
  const { accountUUID, state, saving, key } = tools
  const submit = useSubmit()
  const toast = useToast()
  const textMe = useTextMe()

  const save = async (element: HTMLFormElement, asIs: FormState, intent: string) => {
    if (accountUUID === '') return toast(authenticationFlash())
    const problems = await findProblems(asIs)
    if (Object.keys(problems).length > 0) {
      tools.showProblems(problems, asIs)
      return toast(formErrorFlash(problems))
    }
    const sent = new FormData(element)
    sent.set('intent', intent)
    submit(sent, { method: 'post', preventScrollReset: true })
  }

  const change = (intent: FormIntent) => {
    const next = applyIntent(state, intent)
    if (next === state) return
    tools.focus.current = focusAfter(state, intent)
    tools.setState(() => next)
    tools.setOpen((before) => openAfter(before, next, placeAfter(state, intent), intent))
  }

  return (event: FormEvent<HTMLFormElement>) => {
    const { submitter } = event.nativeEvent as SubmitEvent
    const pressed = submitter instanceof HTMLButtonElement ? submitter.value : 'form.next'
    const intent = parseFormIntent(pressed)
    // The server answers these by itself.
    if (intent === null || intent.kind === 'preview' || intent.kind === 'cancel') return intent && forgetAt(intent, key)
    event.preventDefault()
    switch (intent.kind) {
      case 'text_me':
        return textMe(new FormData(event.currentTarget), pressed)
      case 'discard':
        return tools.discard()
      case 'save':
        if (!saving) void save(event.currentTarget, intent.on ? setValue(state, 'active', 'true') : state, pressed)
        return
      default:
        change(intent)
    }
  }
}

function forgetAt({ kind }: FormIntent, key: string): void {
  if (kind === 'cancel') forgetWork(key)
}

/** What begins closes what is finished before it; nothing else closes by itself. */
function openAfter(before: ReadonlySet<string>, next: FormState, place: string, { kind }: FormIntent): Set<string> {
  const begins = kind === 'add_step' || kind === 'add_condition'
  const after = begins ? openParts(next) : new Set(before)
  const [part = ''] = place.split('.')
  if (part !== '') after.add(part)
  after.delete(MENU)
  return after
}

/** Sends a text of the preview to the own phone; the form stays as it is. */
function useTextMe() {
  const fetcher = useFetcher<{ toast?: Flash | null }>()
  const toast = useToast()
  const { data } = fetcher
  useEffect(() => {
    if (data?.toast) toast(data.toast)
  }, [data, toast])
  return (sent: FormData, intent: string) => {
    if (fetcher.state !== 'idle') return
    sent.set('intent', intent)
    fetcher.submit(sent, { method: 'post' })
  }
}

function useSaving(): boolean {
  const { state, formData } = useNavigation()
  return state !== 'idle' && String(formData?.get('intent') ?? '').startsWith('form.save')
}

/** If the check cannot be loaded, the server validates alone. */
async function findProblems(state: FormState): Promise<FieldErrors> {
  try {
    return (await loadProblems())(state)
  } catch {
    return {}
  }
}

/** Selects the focus target after a press: the added row, the button that moved, or what is left. */
function focusAfter(state: FormState, intent: FormIntent): string | null {
  switch (intent.kind) {
    case 'add_condition':
      return `[name="c.c${state.next}.field"]`
    case 'add_step':
      return `#${partId(`s${state.next}`)} ~ * :is(input:not([type=hidden]), select, textarea):not(details:not([open]) *), #${partId(`s${state.next}`)}`
    case 'add_line':
      return `[name="s.${intent.key}.l.l${state.next}.uuid"]`
    case 'on_status':
      return '[name="triggerType"]'
    case 'remove_condition':
      return '#add-condition'
    case 'remove_step':
      return '#add-step'
    case 'up':
      return `#up-${intent.key}, #down-${intent.key}`
    case 'down':
      return `#down-${intent.key}, #up-${intent.key}`
    default:
      return null
  }
}

/** Returns the first selector that matches; they are separated by `, #`. */
function focusTarget(selectors: string): HTMLElement | null {
  for (const selector of selectors.split(/, (?=#)/)) {
    const found = document.getElementById(FORM)?.querySelector<HTMLElement>(selector)
    if (found) return found
  }
  return null
}
