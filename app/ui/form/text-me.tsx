import { Button } from '../button.tsx'
import { Field } from './field.tsx'
import { TextInput } from './text-input.tsx'

interface TextMeProps {
  /** Id of the form that is sent. */
  form: string
  /** Value of `intent`. */
  intent: string
  /** The text as it is shown; it is sent along. */
  words: string
  /** Names of the text and of the number in the form. */
  names: { text: string; phone: string }
  /** True when nobody knows the number of the person who presses: they type it. */
  asksNumber: boolean
}

/** Sends a previewed text once, to the phone of the person who presses. */
export function TextMe({ form, intent, words, names, asksNumber }: TextMeProps) {
  return (
    <div className="grid gap-2">
      <input type="hidden" form={form} name={names.text} value={words} readOnly />
      {asksNumber ? (
        <Field id={names.phone.replace(/\W+/g, '-')} label="Your mobile number">
          {(control) => <TextInput {...control} form={form} name={names.phone} inputMode="tel" autoComplete="tel" />}
        </Field>
      ) : null}
      <div>
        <Button type="submit" form={form} name="intent" value={intent} variant="quiet" className="-ml-4">
          Text this to my own phone
        </Button>
      </div>
    </div>
  )
}
