import { Form, useNavigation, useSubmit } from '@remix-run/react'
import { clsx } from 'clsx'
import { type FormEvent, type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { CardSection } from '#app/ui/card.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { useOnDemand } from '#app/ui/on-demand.tsx'
import { useToast } from '#app/ui/toast.tsx'
import { type FormLists, namesOfLists } from '../../rules/form-lists.ts'
import { authenticationFlash, formErrorFlash } from '../../rules/form-text.ts'
import type { FieldErrors } from '../../rules/rule-form.ts'
import { applyControls, applyIntent, type FormIntent, parseFormIntent, setValue } from '../form-change.ts'
import { isShown } from '../form-shown.ts'
import { type FormState, partsShown, toForm } from '../form-state.ts'
import type { FormView } from '../form-view.ts'
import { ActionSection } from './action-section.tsx'
import { ConditionSection } from './condition-section.tsx'
import { RuleFormProvider, useRuleForm } from './form-context.tsx'
import { FormSection, IntentButton, ShowFields, TextControl } from './form-controls.tsx'
import { MoreSection } from './more-section.tsx'
import { FORM, NOTHING_SHOWN, PreviewPane, type Shown } from './preview-pane.tsx'
import { GroupSection, LaterEdits, OftenSection, Summary, SwitchAndSave } from './rule-sections.tsx'
import { TriggerSection } from './trigger-section.tsx'

interface RuleFormPanelProps {
  /** From the address; '' = not signed in. */
  accountUUID: string
  /** As the server drew it; a new one (a rule to edit, a copy, a rejected save) replaces the form on screen. */
  form: FormView
  lists: FormLists
  /** Content of the column beside the form, below the preview. */
  beside?: ReactNode
}

async function loadLive() {
  return (await import('./live-preview.tsx')).LivePreview
}

async function loadAids() {
  return (await import('../form-aids.ts')).aidsOf
}

async function loadProblems() {
  await import('#app/ui/zod-without-eval.ts')
  return (await import('../form-check.ts')).problemsOf
}

/** The rule form grows as it is filled in. Without scripts every button is a round trip; with them, only Save. */
export function RuleFormPanel({ accountUUID, form, lists, beside }: RuleFormPanelProps) {
  const { state, setState, errors, alive, saving, onSubmit } = useEditing(accountUUID, form)
  const [example, setExample] = useState(form.preview?.record ?? '')
  const reckoned = useAids(form, state, lists, alive)
  const asked = form.preview?.answer
  const tools = {
    accountUUID,
    example,
    samples: asked?.kind === 'samples' ? asked : null,
    state,
    errors,
    lists,
    aids: reckoned,
    webhooks: form.webhooks,
    ...(form.quiet && { quiet: form.quiet }),
    alive,
    set: (name: string, value: string) => setState((last) => setValue(last, name, value, lists)),
  }
  const shown = partsShown(state)
  const editing = state.ruleId !== null
  return (
    <>
      <CardSection id="rule-form" title={editing ? 'Edit Automation' : 'Create Automation'} className="self-start">
        <RuleFormProvider value={tools}>
          <Form method="post" id={FORM} preventScrollReset noValidate onSubmit={onSubmit} className="grid gap-5">
            {/* Enter in a field redraws the form; it never sends, moves or removes anything. */}
            <button type="submit" name="intent" value="form.next" hidden tabIndex={-1} aria-hidden />
            <input type="hidden" name="accountUUID" value={accountUUID} />
            {toForm(state).map(([name, value]) => (
              <input key={name} type="hidden" name={name} value={value} />
            ))}
            {form.trouble && !alive ? (
              <Notice tone={form.trouble.kind === 'error' ? 'failing' : 'accent'} title={form.trouble.title}>
                <p>{form.trouble.description}</p>
              </Notice>
            ) : null}
            <FormSection id="basic" title="Basic Information">
              <TextControl name="name" label="Automation Name" placeholder="Text the customer when a job is done" />
              <TextControl name="description" label="Description" hint="Optional. For you and your colleagues." />
              {shown.trigger ? null : <ShowFields>Continue</ShowFields>}
            </FormSection>
            <Sections saving={saving} />
            {editing ? (
              <IntentButton intent="form.cancel" variant="quiet">
                Cancel Edit
              </IntentButton>
            ) : null}
          </Form>
        </RuleFormProvider>
      </CardSection>
      {/* On a desktop, the column beside the form stays in view: the preview, with the list in the rest. */}
      <div
        className={clsx(
          'grid min-w-0 content-start gap-5',
          shown.rest && 'desk:sticky desk:top-0 desk:flex desk:max-h-dvh desk:flex-col desk:self-start desk:py-3',
        )}
      >
        {shown.rest ? (
          <FormPreview accountUUID={accountUUID} form={form} state={state} alive={alive} onRecord={setExample} />
        ) : null}
        <div
          id="beside-form"
          className={clsx('grid min-w-0 content-start gap-5', shown.rest && 'desk:min-h-0 desk:overflow-y-auto')}
        >
          {beside}
        </div>
      </div>
    </>
  )
}

/** Sections appear one by one as the form is filled in. */
function Sections({ saving }: { saving: boolean }) {
  const { state } = useRuleForm()
  const shown = partsShown(state)
  return (
    <>
      {shown.trigger ? <TriggerSection /> : null}
      {shown.rest ? (
        <>
          <ConditionSection />
          <LaterEdits />
          {isShown(state, 'enableGrouping') ? <GroupSection /> : null}
          <ActionSection />
          <OftenSection />
          <MoreSection />
          <Summary />
        </>
      ) : null}
      {shown.submit ? <SwitchAndSave saving={saving} /> : null}
    </>
  )
}

/** State, errors and button handlers of the form. */
function useEditing(accountUUID: string, form: FormView) {
  const [state, setState] = useState(form.state)
  const [errors, setErrors] = useState(form.errors)
  const [alive, setAlive] = useState(false)
  const [recheck, setRecheck] = useState(false)
  const focus = useRef<string | null>(null)
  const submit = useSubmit()
  const toast = useToast()
  const saving = useSaving()
  const { part: problemsOf } = useOnDemand(loadProblems, recheck)

  // Keep what the user typed before hydration.
  useEffect(() => {
    const element = document.getElementById(FORM)
    if (element instanceof HTMLFormElement) setState(applyControls(form.state, new FormData(element)))
    setAlive(true)
  }, [])

  const drawn = useMemo(() => JSON.stringify([form.state, form.errors]), [form])
  const lastDrawn = useRef(drawn)
  const wasSaving = useRef(false)
  useEffect(() => {
    const answered = wasSaving.current && !saving
    wasSaving.current = saving
    if (drawn === lastDrawn.current && !answered) return
    lastDrawn.current = drawn
    setState(form.state)
    setErrors(form.errors)
    setRecheck(false)
  }, [drawn, form, saving])

  useEffect(() => {
    if (problemsOf && recheck) setErrors(problemsOf(state))
  }, [problemsOf, recheck, state])

  // Wait until the form is redrawn: a newly added control does not exist before.
  useEffect(() => {
    if (focus.current === null) return
    const target = focusTarget(focus.current)
    focus.current = null
    target?.focus()
  }, [state, errors])

  const save = async (element: HTMLFormElement) => {
    if (accountUUID === '') return toast(authenticationFlash())
    const problems = await findProblems(state)
    if (Object.keys(problems).length > 0) {
      focus.current = '[aria-invalid]'
      setErrors(problems)
      setRecheck(true)
      return toast(formErrorFlash(problems))
    }
    const sent = new FormData(element)
    sent.set('intent', 'form.save')
    submit(sent, { method: 'post', preventScrollReset: true })
  }

  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    const { submitter } = event.nativeEvent as SubmitEvent
    const pressed = submitter instanceof HTMLButtonElement ? submitter.value : 'form.next'
    const intent = parseFormIntent(pressed)
    if (intent === null || intent.kind === 'cancel' || intent.kind === 'preview') return
    event.preventDefault()
    if (intent.kind === 'save') {
      if (!saving) void save(event.currentTarget)
      return
    }
    const next = applyIntent(state, intent)
    if (next === state) return
    focus.current = focusAfter(state, intent)
    setState(next)
  }

  return { state, setState, errors, alive, saving, onSubmit }
}

/** Uses the server's result first, so it works without scripts; then recomputes in the browser, deferred. */
function useAids(form: FormView, state: FormState, lists: FormLists, alive: boolean) {
  const { part: aidsOf } = useOnDemand(loadAids, alive)
  const names = useMemo(() => namesOfLists(lists), [lists])
  const settled = useDeferredValue(state)
  return useMemo(
    () => (aidsOf ? aidsOf(settled, form.rules, names) : form.aids),
    [aidsOf, settled, form.rules, form.aids, names],
  )
}

function useSaving(): boolean {
  const { state, formData } = useNavigation()
  return state !== 'idle' && formData?.get('intent') === 'form.save'
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
      return `[name="s.s${state.next}.type"]`
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

/** Returns the first selector that matches. */
function focusTarget(selectors: string): HTMLElement | null {
  for (const selector of selectors.split(', ')) {
    const found = document.getElementById(FORM)?.querySelector<HTMLElement>(selector)
    if (found) return found
  }
  return null
}

interface FormPreviewProps {
  accountUUID: string
  form: FormView
  state: FormState
  alive: boolean
  onRecord(uuid: string): void
}

/** The preview beside the form: automatic with scripts, by a button without. */
function FormPreview({ accountUUID, form, state, alive, onRecord }: FormPreviewProps) {
  const { part: Live } = useOnDemand(loadLive, alive)
  const before = shownOf(form)
  return Live ? (
    <Live accountUUID={accountUUID} state={state} before={before} onRecord={onRecord} />
  ) : (
    <PreviewPane shown={before} />
  )
}

function shownOf({ preview }: FormView): Shown {
  if (!preview) return NOTHING_SHOWN
  const { answer, search, record } = preview
  return {
    preview: answer.kind === 'preview' ? answer : null,
    back: answer.kind === 'backtest' ? answer : null,
    trouble: answer.kind === 'trouble' ? answer : null,
    search,
    record,
  }
}
