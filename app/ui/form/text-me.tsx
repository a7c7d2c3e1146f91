import { Button } from '../button.tsx'
import { TextField } from './text-input.tsx'

interface TextMeProps {
  /** Id of the form that is sent. */
  form: string
  /** Value of `intent`. */
  intent: string
  /** The text as it is shown; it is sent along. */
  words: string
  /** Names of the text and of the number in the form. */
  names: { text: string; phone: string }
  /** What the person who presses typed as their number; null = we know it and do not ask. */
  phone: string | null
  /** Until scripts run: where the page comes back. */
  formAction?: string | undefined
}

/** Sends a previewed text once, to the phone of the person who presses. */
export function TextMe({ form, intent, words, names, phone, formAction }: TextMeProps) {
  const typed = { form, name: names.phone, defaultValue: phone ?? '', inputMode: 'tel', autoComplete: 'tel' } as const
  return (
    <div className="grid gap-2">
      <input type="hidden" form={form} name={names.text} value={words} readOnly />
      {phone === null ? null : (
        <TextField id={names.phone.replace(/\W+/g, '-')} label="Your mobile number" {...typed} />
      )}
      <div>
        <Button {...{ form, formAction }} type="submit" name="intent" value={intent} variant="quiet" className="-ml-4">
          Text this to my own phone
        </Button>
      </div>
    </div>
  )
}
