import { useEffect, useRef, useState } from 'react'
import { Field } from '#app/ui/form/field.tsx'
import { TextInput } from '#app/ui/form/text-input.tsx'
import { addressSentence } from '../../receiver.ts'

interface AddressFieldProps {
  field: {
    id: string
    key?: string | undefined
    name: string
    initialValue?: string | undefined
    errors?: string[] | undefined
  }
  label: string
  hint: string
  autoFocus: boolean
}

/** The field for the destination address. Says while typing whose address it is, and what a chat program gets. */
export function AddressField({ field, label, hint, autoFocus }: AddressFieldProps) {
  const [address, setAddress] = useState(field.initialValue ?? '')
  const box = useRef<HTMLInputElement>(null)
  // What was typed before hydration, or was kept, came without a change.
  useEffect(() => setAddress(box.current?.value ?? ''))
  return (
    <Field id={field.id} label={label} hint={addressSentence(address) ?? hint} errors={field.errors}>
      {(control) => (
        <TextInput
          {...control}
          ref={box}
          key={field.key}
          type="url"
          name={field.name}
          defaultValue={field.initialValue}
          placeholder="https://"
          autoComplete="off"
          autoFocus={autoFocus}
          onChange={(event) => setAddress(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}
