import { Form, useFetcher, useLocation, useNavigation } from '@remix-run/react'
import { Eye, History, PencilLine, Power } from 'lucide-react'
import { type FormEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { type AutomationAccount, automationAddress } from '#app/domain/automations/automation-address.ts'
import type { AccountFacts } from '#app/domain/delivery-address.ts'
import { textMeNames } from '#app/features/automations/form/form-preview.ts'
import { Button } from '#app/ui/button.tsx'
import { cardStyles } from '#app/ui/card.tsx'
import { Disclosure } from '#app/ui/disclosure.tsx'
import { BACKGROUND } from '#app/ui/form/background.ts'
import { forgetDraft, ownerOf } from '#app/ui/form/draft.ts'
import { Field } from '#app/ui/form/field.tsx'
import { useKeptFields } from '#app/ui/form/kept-fields.tsx'
import { Select } from '#app/ui/form/select.tsx'
import { controlStyles, TextInput } from '#app/ui/form/text-input.tsx'
import { TextMe } from '#app/ui/form/text-me.tsx'
import { UNREACHED, useUnreached } from '#app/ui/form/unreached.tsx'
import { useHydrated } from '#app/ui/hydrated.tsx'
import { Notice } from '#app/ui/notice.tsx'
import { PageHeader } from '#app/ui/page/page-header.tsx'
import { DayStrip } from '#app/ui/pictures/day-strip.tsx'
import { MessageCard } from '#app/ui/pictures/message-card.tsx'
import { ResultWords } from '#app/ui/result-line.tsx'
import { AccountTimeProvider } from '#app/ui/time/time.tsx'
import type { SheetAnswer, SheetView } from '../sheet-view.ts'
import { lookBackText, SHEET_TEXTS } from '../template-text.ts'
import { sheetAddress } from '../template-view.ts'

interface TemplateSheetProps extends AccountFacts {
  account: AutomationAccount
  sheet: SheetView
}

const FORM = 'template-sheet'

/** How long a person has to pause before the preview refreshes, ms. */
const PAUSE = 700

/** A look in the background: its last sheet, and why a newer one did not come. */
function useLook() {
  const { data, state, submit } = useFetcher<SheetAnswer | { unreached: boolean }>()
  const last = useRef<SheetView>(undefined)
  const lost = data && 'unreached' in data ? SHEET_TEXTS[data.unreached ? 'offline' : 'failed'] : null
  const { sheet: came = null, old = lost } = data && 'sheet' in data ? data : {}
  if (came) last.current = came
  return { sheet: last.current, old, waits: state !== 'idle', submit }
}

/** One template: only its blanks, its message, a try-out, and the button that turns it on. */
export function TemplateSheet({ account, accountName, timezone, now, sheet }: TemplateSheetProps) {
  const to = sheetAddress(account, sheet.id)
  const form = useRef<HTMLFormElement>(null)
  const hydrated = useHydrated()
  const preview = useLook()
  const back = useLook()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const countsAgain = useRef(false)
  // The last count did not come, or without a number.
  const uncounted = useRef(false)
  uncounted.current = back.old !== null || back.sheet?.lookBack === null
  const ask = (look: typeof preview, intent: string) => {
    if (!form.current) return
    const sent = new FormData(form.current)
    sent.set('intent', intent)
    sent.set(BACKGROUND.name, BACKGROUND.value)
    look.submit(sent, { method: 'post', action: to })
  }
  const asking = useRef(ask)
  asking.current = ask
  const keep = useSheetKept(form, account, sheet)
  useEffect(() => {
    asking.current(back, 'look_back')
    return () => clearTimeout(timer.current)
    // Once, when the page works; again only for another answer that it counts by.
  }, [])
  useEffect(() => {
    if (Object.keys(sheet.errors).length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [sheet.errors])
  function onInput({ target }: FormEvent) {
    keep()
    if (!(target instanceof HTMLElement) || !target.matches('input, textarea, select')) return
    countsAgain.current ||= sheet.blanks.some((one) => one.isCounted && one.name === target.getAttribute('name'))
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      asking.current(preview, 'look')
      if (countsAgain.current || uncounted.current) asking.current(back, 'look_back')
      countsAgain.current = false
    }, PAUSE)
  }
  const looked = preview.sheet ?? sheet
  // A press without scripts comes back where its answer is.
  const backTo = hydrated ? undefined : `${to}#sheet-preview`
  // An older count may be of other answers.
  const lookBack = back.old === null ? (back.sheet?.lookBack ?? sheet.lookBack) : null
  return (
    <AccountTimeProvider now={now} zone={timezone}>
      <PageHeader
        title={sheet.name}
        overline={accountName}
        back={{ to: automationAddress(account, { step: 'none' }, 'templates'), words: SHEET_TEXTS.back }}
        summary={<Sentence sheet={sheet} />}
      />
      <div className="grid items-start gap-5 lg:grid-cols-2 lg:gap-6">
        <div className="grid min-w-0 gap-5 lg:order-last">
          <Preview sheet={{ ...looked, told: sheet.told }} old={preview.old} busy={preview.waits} backTo={backTo} />
        </div>
        <Form
          ref={form}
          id={FORM}
          method="post"
          action={to}
          preventScrollReset
          onInput={onInput}
          className={`${cardStyles} grid min-w-0 gap-4 p-4 sm:p-5`}
        >
          <Fields sheet={sheet} live={hydrated} />
          <LookBackLine lookBack={lookBack} waiting={hydrated && back.waits} />
          <Buttons backTo={backTo} />
        </Form>
      </div>
    </AccountTimeProvider>
  )
}

/** What is typed stays in this tab until the template is used. */
function useSheetKept(form: RefObject<HTMLFormElement | null>, account: AutomationAccount, sheet: SheetView) {
  const [saved] = useState(() =>
    Object.fromEntries([...sheet.blanks, ...sheet.texts].map((one) => [one.name, one.value])),
  )
  const kept = `${sheet.id} ${ownerOf(account)}`
  const { pathname } = useLocation()
  const { formData, location } = useNavigation()
  const used = formData !== undefined && location !== undefined && location.pathname !== pathname
  useEffect(() => {
    if (used) forgetDraft(FORM, kept)
  }, [used, kept])
  return useKeptFields({ form, account: kept, saved }).keep
}

function Sentence({ sheet: { sentence, overlap } }: { sheet: SheetView }) {
  const { when, onlyIf, does } = sentence
  return (
    <div className="grid gap-2">
      <p className="wrap-anywhere max-w-prose">
        {when}, {onlyIf === null ? null : `only if ${onlyIf}, then `}
        {does}.
      </p>
      {overlap === null ? null : (
        <Notice tone="attention" className="max-w-prose">
          {overlap}
        </Notice>
      )}
    </div>
  )
}

function Fields({ sheet: { noun, blanks, texts, errors }, live }: { sheet: SheetView; live: boolean }) {
  // With scripts an effect does it.
  const first = live ? undefined : [...blanks, ...texts].find(({ name }) => errors[name])?.name
  return (
    <>
      <h2 className="font-semibold text-title">{SHEET_TEXTS.blanks}</h2>
      {errors[''] ? <Notice tone="failing">{errors[''].join(' ')}</Notice> : null}
      {blanks.length + Object.keys(errors).length === 0 ? <p className="text-label">{SHEET_TEXTS.noBlanks}</p> : null}
      {blanks.map((blank) => (
        <Blank key={blank.name} blank={blank} errors={errors[blank.name]} autoFocus={first === blank.name} />
      ))}
      {texts.length === 0 ? null : (
        <Disclosure summary={SHEET_TEXTS.change} open={texts.some(({ name }) => errors[name] !== undefined)}>
          <div className="grid gap-3">
            <p className="text-dense text-ink-soft">{SHEET_TEXTS.placeholders(noun)}</p>
            {texts.map(({ name, label, value, isLong }) => (
              <Field key={name} id={idOf(name)} label={label} errors={errors[name]}>
                {(control) =>
                  isLong ? (
                    <textarea
                      {...control}
                      {...{ name, autoFocus: first === name }}
                      rows={5}
                      defaultValue={value}
                      className={controlStyles({ className: 'resize-y py-2' })}
                    />
                  ) : (
                    <TextInput
                      {...control}
                      name={name}
                      defaultValue={value}
                      autoComplete="off"
                      autoFocus={first === name}
                    />
                  )
                }
              </Field>
            ))}
          </div>
        </Disclosure>
      )}
    </>
  )
}

/** An id without spaces: attributes list several ids. */
function idOf(name: string): string {
  return name.replace(/[^\w-]+/g, '-')
}

interface BlankProps {
  blank: SheetView['blanks'][number]
  errors: string[] | undefined
  autoFocus: boolean
}

function Blank({ blank, errors, autoFocus }: BlankProps) {
  const { name, label, kind, value, isOptional, around, options } = blank
  const typed = kind === 'email' || kind === 'tel' || kind === 'url' ? kind : 'text'
  const hint = isOptional ? (kind === 'badges' ? SHEET_TEXTS.badge : SHEET_TEXTS.optional) : around || undefined
  const known = options.some(({ uuid }) => uuid === value)
  return (
    <Field id={idOf(name)} label={label} hint={hint} errors={errors}>
      {(control) =>
        options.length > 0 ? (
          <Select
            {...control}
            name={name}
            defaultValue={value}
            autoFocus={autoFocus}
            none={SHEET_TEXTS.choose}
            options={[
              ...options.map(({ uuid, label: says }) => [uuid, says] as const),
              ...(value === '' || known ? [] : [[value, value] as const]),
            ]}
          />
        ) : (
          // A blank named by its kind, not checked by the browser: the server answers in one place.
          <TextInput {...control} {...{ name, autoFocus }} defaultValue={value} inputMode={typed} autoComplete="off" />
        )
      }
    </Field>
  )
}

function LookBackLine({ lookBack, waiting }: { lookBack: SheetView['lookBack']; waiting: boolean }) {
  if (lookBack === null) {
    return waiting ? <p className="text-label text-ink-soft">{SHEET_TEXTS.lookingBack}</p> : null
  }
  const says = lookBackText(lookBack)
  return (
    <div className="grid gap-1.5">
      <p className="font-medium text-label">{says}</p>
      {lookBack.days === null ? null : <DayStrip days={lookBack.days} says={says} />}
    </div>
  )
}

/** Without scripts, the previews have buttons of their own. */
function Buttons({ backTo }: Pick<PreviewProps, 'backTo'>) {
  const { state, formData } = useNavigation()
  const sending = (intent: string) => state !== 'idle' && formData?.get('intent') === intent
  const button = (intent: string) =>
    ({ type: 'submit', name: 'intent', value: intent, pending: sending(intent) }) as const
  return (
    <div className="flex flex-wrap gap-2 border-line border-t pt-4">
      {useUnreached() ? (
        <Notice tone="failing" className="w-full">
          {UNREACHED}
        </Notice>
      ) : null}
      <Button {...button('turn_on')} variant="primary" icon={Power} pendingLabel={SHEET_TEXTS.turningOn}>
        {SHEET_TEXTS.turnOn}
      </Button>
      <Button {...button('edit_all')} icon={PencilLine}>
        {SHEET_TEXTS.editAll}
      </Button>
      {backTo === undefined ? null : (
        <>
          <Button {...button('look')} formAction={backTo} variant="quiet" icon={Eye}>
            {SHEET_TEXTS.look}
          </Button>
          <Button {...button('look_back')} formAction={backTo} variant="quiet" icon={History}>
            {SHEET_TEXTS.lookBack}
          </Button>
        </>
      )}
    </div>
  )
}

interface PreviewProps {
  sheet: SheetView
  /** Why it is not the newest; null = it is. */
  old: string | null
  busy: boolean
  /** Where a look without scripts comes back; undefined with scripts. */
  backTo: string | undefined
}

function Preview({ sheet: { noun, preview, trouble, phone, told }, old, busy, backTo }: PreviewProps) {
  return (
    <section
      aria-labelledby="sheet-preview"
      aria-busy={busy || undefined}
      className={`${cardStyles} grid min-w-0 gap-3 p-4 sm:p-5`}
    >
      <div>
        <h2 id="sheet-preview" className="font-semibold text-title">
          {SHEET_TEXTS.preview(noun)}
        </h2>
        <p className="wrap-anywhere text-label text-ink-soft">
          {preview === null ? '' : `${preview.about}. `}
          {SHEET_TEXTS.nothingSent}
        </p>
      </div>
      {old === null ? null : <Notice tone="attention">{old}</Notice>}
      {trouble === null ? null : (
        <Notice tone="attention" title={SHEET_TEXTS.notShown}>
          <p>{trouble}</p>
        </Notice>
      )}
      <div aria-live="polite" className="grid gap-3">
        {preview === null ? null : <Previewed preview={preview} phone={phone} backTo={backTo} />}
        {told === null ? null : <ResultWords flash={told} />}
      </div>
    </section>
  )
}

function Previewed({
  preview: { skipped, messages, others },
  phone,
  backTo,
}: Pick<PreviewProps, 'backTo'> & { preview: NonNullable<SheetView['preview']>; phone: string | null }): ReactNode {
  return (
    <>
      {skipped === null ? null : <p className="text-label text-ink-soft">{skipped}</p>}
      {messages.map(({ says, message, place }, index) => (
        <div key={index} className="grid gap-1">
          <MessageCard message={message} says={says} sent={false} />
          {place === null ? null : (
            <TextMe
              form={FORM}
              intent={`text_me:${place}`}
              words={message.text}
              names={textMeNames(place)}
              phone={phone}
              formAction={backTo}
            />
          )}
        </div>
      ))}
      {others.length === 0 ? null : (
        <ul className="grid list-disc gap-1 pl-5 text-label">
          {others.map((line, index) => (
            <li key={index} className="wrap-anywhere">
              {line}
            </li>
          ))}
        </ul>
      )}
      {messages.length + others.length > 0 ? null : <p className="text-label text-ink-soft">{SHEET_TEXTS.noMessage}</p>}
    </>
  )
}
