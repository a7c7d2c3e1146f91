import { Form } from '@remix-run/react'
import { clsx } from 'clsx'
import { Eye, Undo2 } from 'lucide-react'
import { lazy, type MouseEvent, type ReactNode, Suspense, useDeferredValue, useMemo, useState } from 'react'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { CardSection } from '#app/ui/card.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { useOnDemand } from '#app/ui/on-demand.tsx'
import { type FormLists, namesOfLists } from '../../rules/form-lists.ts'
import { FORM_TEXTS } from '../../rules/form-text.ts'
import { setValue } from '../form-change.ts'
import { type DraftPreview, FORM, NOTHING_SHOWN, type Peek, peekOf, type Shown, sentTexts } from '../form-preview.ts'
import { type FormState, partsShown, toForm } from '../form-state.ts'
import type { FormView } from '../form-view.ts'
import { RuleFormProvider, type RuleFormTools, useRuleForm } from './form-context.tsx'
import { IntentButton, ShowFields, TextControl } from './form-controls.tsx'
import { Blanks, SentenceBar } from './form-top.tsx'
import { ActiveSwitch } from './rule-sections.tsx'
import { TriggerSection } from './trigger-section.tsx'
import { type Edited, type Unsaved, useEditing } from './use-editing.tsx'

interface RuleFormPanelProps extends Pick<Edited, 'accountUUID' | 'form'>, Partial<Pick<Edited, 'person' | 'opened'>> {
  lists: FormLists
  /** Content of the column beside the form, below the preview. */
  beside?: ReactNode
}

const loadRest = async () => ({ default: (await import('./rest-sections.tsx')).RestSections })
const loadPane = async () => ({ default: (await import('./preview-pane.tsx')).PreviewPane })

// The server has them loaded and draws them; a browser loads them with the first trigger that is chosen.
const RestSections = import.meta.env.SSR ? (await loadRest()).default : lazy(loadRest)
const PreviewPane = import.meta.env.SSR ? (await loadPane()).default : lazy(loadPane)

const loadLive = async () => (await import('./live-preview.tsx')).LivePreview
const loadAids = async () => (await import('../form-aids.ts')).aidsOf

/** The rule form grows as it is filled in. Without scripts every button is a round trip; with them, only Save. */
export function RuleFormPanel({ accountUUID, person = '', opened = '', form, lists, beside }: RuleFormPanelProps) {
  const { state, setState, toggle, unsaved, discarded, undo, onSubmit, ...editing } = useEditing({
    ...{ accountUUID, person, opened, form },
  })
  const { errors, open, alive, saving, goTo } = editing
  const { part: Live } = useOnDemand(loadLive, alive)
  const before = shownOf(form)
  const [seen, setSeen] = useState(before.preview)
  const [sheet, setSheet] = useState(false)
  const asked = form.preview?.answer
  const tools = {
    accountUUID,
    person,
    phone: form.preview?.phone ?? '',
    example: seen?.record.uuid ?? form.preview?.record ?? '',
    samples: asked?.kind === 'samples' ? asked : null,
    state,
    errors,
    lists,
    webhooks: form.webhooks,
    ...(form.quiet && { quiet: form.quiet }),
    listening: form.listening ?? null,
    ...{ open, setOpen: toggle, at: form.at, sends: sendsOf(state, seen), alive },
    set: (name: string, value: string) => setState((last) => setValue(last, name, value, lists)),
  }
  /** Links within the form: to a part, and to the preview. */
  const onClick = (event: MouseEvent) => {
    const link = alive && event.target instanceof Element ? event.target.closest('a') : null
    if (link?.dataset.part !== undefined) {
      event.preventDefault()
      goTo(link.dataset.part)
    } else if (link?.dataset.peek !== undefined && Live) {
      event.preventDefault()
      setSheet(true)
    }
  }
  const shown = partsShown(state)
  return (
    <Aided form={form} tools={tools}>
      <CardSection
        id="rule-form"
        title={state.ruleId === null ? 'Create Automation' : 'Edit Automation'}
        className="self-start"
      >
        <Form
          method="post"
          id={FORM}
          preventScrollReset
          noValidate
          onSubmit={onSubmit}
          onClick={onClick}
          className={FORM_STYLES}
        >
          {/* Enter in a field redraws the form; it never sends, moves or removes anything. */}
          <button type="submit" name="intent" value="form.next" hidden tabIndex={-1} aria-hidden />
          <input type="hidden" name="accountUUID" value={accountUUID} />
          {toForm(state).map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
          {alive ? null : <Trouble trouble={form.trouble} first={Object.keys(errors)[0] ?? ''} />}
          <SentenceBar />
          <Blanks saving={saving} />
          <Basics />
          <Sections />
          <CancelEdit />
          <FormBar peek={seen && peekOf(seen)} unsaved={unsaved} onUndo={discarded && undo} saving={saving} />
        </Form>
      </CardSection>
      {/* On a desktop, the column beside the form stays in view: the preview, with the list in the rest. */}
      <div
        className={clsx(
          'grid min-w-0 content-start gap-5',
          shown.rest && 'desk:sticky desk:top-0 desk:flex desk:max-h-dvh desk:flex-col desk:self-start desk:py-3',
        )}
      >
        {!shown.rest ? null : Live ? (
          <Live
            accountUUID={accountUUID}
            state={state}
            before={before}
            onPreview={setSeen}
            sheet={sheet}
            onSheet={setSheet}
          />
        ) : (
          <Suspense fallback={null}>
            <PreviewPane shown={before} />
          </Suspense>
        )}
        <div
          id="beside-form"
          className={clsx('grid min-w-0 content-start gap-5', shown.rest && 'desk:min-h-0 desk:overflow-y-auto')}
        >
          {beside}
        </div>
      </div>
    </Aided>
  )
}

/** What the keyboard reaches is never under the sentence above or the bar below. */
const FORM_STYLES = 'grid grid-cols-[minmax(0,1fr)] gap-5 [&_*]:scroll-mt-[calc(30dvh+1rem)] [&_*]:scroll-mb-24'

/** Where an error stands that no control takes the focus for; '' = there is none. */
const NO_CONTROL = /^(|active|object|actions\.\d+(\.parameters)?)$/

/** What a page without scripts has to say about the last press. `first` = the first error's place. */
function Trouble({ trouble, first }: Pick<FormView, 'trouble'> & { first: string }) {
  if (!trouble) return null
  const failed = trouble.kind === 'error'
  return (
    <Notice tone={failed ? 'failing' : 'accent'} title={trouble.title} autoFocus={failed && NO_CONTROL.test(first)}>
      <p>{trouble.description}</p>
      {trouble.link ? (
        <ButtonLink to={trouble.link.to} variant="quiet" className="-ml-4">
          {trouble.link.words}
        </ButtonLink>
      ) : null}
    </Notice>
  )
}

function CancelEdit() {
  const { state } = useRuleForm()
  if (state.ruleId === null) return null
  return (
    <div>
      <IntentButton intent="form.cancel" variant="quiet">
        Cancel Edit
      </IntentButton>
    </div>
  )
}

function Basics() {
  const { state } = useRuleForm()
  return (
    <section aria-labelledby="rule-basic" className="grid gap-3">
      <h3 id="rule-basic" className="text-dense text-ink-soft">
        Basic Information
      </h3>
      <TextControl name="name" label="Automation Name" placeholder="Text the customer when a job is done" />
      {partsShown(state).trigger ? null : <ShowFields place="when">Continue</ShowFields>}
    </section>
  )
}

/** Sections appear one by one as the form is filled in. */
function Sections() {
  const { state } = useRuleForm()
  const shown = partsShown(state)
  if (!shown.trigger) return null
  return (
    <>
      <TriggerSection />
      {shown.rest ? (
        <Suspense fallback={null}>
          <RestSections />
        </Suspense>
      ) : null}
      {shown.submit ? <ActiveSwitch /> : null}
    </>
  )
}

interface AidedProps {
  form: FormView
  tools: Omit<RuleFormTools, 'aids'>
  children: ReactNode
}

/**
 * Uses the server's aids first, so it works without scripts; then recomputes them in the browser, deferred. Aids that
 * stayed the same draw nothing again: while somebody types a text, nearly all of them do.
 */
function Aided({ form, tools, children }: AidedProps) {
  const { part: aidsOf } = useOnDemand(loadAids, tools.alive)
  const names = useMemo(() => namesOfLists(tools.lists), [tools.lists])
  const settled = useDeferredValue(tools.state)
  const text = useMemo(
    () => JSON.stringify(aidsOf ? aidsOf(settled, form.rules, names) : form.aids),
    [aidsOf, settled, form.rules, form.aids, names],
  )
  const aids: FormView['aids'] = useMemo(() => JSON.parse(text), [text])
  return <RuleFormProvider value={useMemo(() => ({ ...tools, aids }), [tools, aids])}>{children}</RuleFormProvider>
}

/** The preview knows steps by their position; actions without a type are not in it. */
function sendsOf(state: FormState, seen: DraftPreview | null) {
  const texts = seen ? sentTexts(seen) : new Map()
  const steps = state.steps.filter(({ type }) => type !== '')
  return Object.fromEntries(
    steps.flatMap(({ key, type }, place) => (type === 'send_sms' && texts.has(place) ? [[key, texts.get(place)]] : [])),
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

// The bar at the foot of the form: what the rule would do, what is not saved yet, and the button that saves it.
interface FormBarProps {
  /** What the preview says, in two short lines; null = nothing yet. */
  peek: Peek | null
  unsaved: Unsaved
  /** Brings back what was discarded; null = nothing was. */
  onUndo: (() => void) | null
  saving: boolean
}

const WORDS: Readonly<Record<Unsaved, string>> = {
  none: '',
  new: 'Not saved yet',
  changed: 'Changes not saved',
  stale: FORM_TEXTS.stale,
}

/** Stays at the foot of the screen while the form reaches below it. */
function FormBar({ peek, unsaved, onUndo, saving }: FormBarProps) {
  const { state } = useRuleForm()
  const shown = partsShown(state)
  const words = unsaved === 'none' ? (onUndo ? 'Discarded' : '') : WORDS[unsaved]
  if (!shown.rest && words === '') return null
  const isNew = state.ruleId === null
  return (
    <div className="-mx-4 sm:-mx-5 -mb-4 sm:-mb-5 sticky bottom-0 z-10 flex min-h-14 items-center gap-2 rounded-b-card border-line border-t bg-surface px-4 py-1.5 sm:px-5">
      {shown.rest ? <PeekLink peek={peek} /> : null}
      <p role="status" className="min-w-0 flex-1 text-dense text-ink-soft max-lg:sr-only">
        {words}
      </p>
      {unsaved === 'none' ? null : <Discard />}
      {unsaved === 'none' && onUndo ? (
        <Button variant="quiet" onClick={onUndo}>
          Undo
        </Button>
      ) : null}
      {shown.submit ? (
        <Button
          type="submit"
          name="intent"
          value="form.save"
          variant="primary"
          pending={saving}
          pendingLabel={isNew ? 'Creating…' : 'Saving…'}
        >
          <span>
            {isNew ? 'Create' : 'Update'}
            <span className="max-sm:sr-only"> Automation</span>
          </span>
        </Button>
      ) : null}
    </div>
  )
}

function Discard() {
  return (
    <IntentButton intent="form.discard" variant="quiet" className="max-sm:w-11 max-sm:px-0" aria-label="Discard">
      <Undo2 aria-hidden className="size-4 sm:hidden" />
      <span className="max-sm:hidden">Discard</span>
    </IntentButton>
  )
}

/** Where the preview is not beside the form: the form opens it; without scripts the browser goes there. */
function PeekLink({ peek }: Pick<FormBarProps, 'peek'>) {
  return (
    <a
      href="#live-preview-title"
      data-peek
      className="flex min-h-11 min-w-0 flex-1 items-center gap-2 rounded-control text-dense lg:hidden"
    >
      <Eye aria-hidden className="size-4 shrink-0 text-accent" />
      {peek ? (
        <span className="min-w-0">
          <span className="block truncate">{peek.about}</span>
          <span className="block truncate font-medium">{peek.does}</span>
        </span>
      ) : (
        <span className="font-medium text-accent">Preview</span>
      )}
    </a>
  )
}
