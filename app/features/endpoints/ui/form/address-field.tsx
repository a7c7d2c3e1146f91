import { useState } from 'react'
import { chatSentence } from '#app/features/events/chat/chat-message.ts'
import { Field } from '#app/ui/form/field.tsx'
import { TextInput } from '#app/ui/form/text-input.tsx'

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

/** The field for the destination address. Says while typing what a chat program gets. */
export function AddressField({ field, label, hint, autoFocus }: AddressFieldProps) {
  const [address, setAddress] = useState(field.initialValue ?? '')
  return (
    <Field id={field.id} label={label} hint={chatSentence(address.trim()) ?? hint} errors={field.errors}>
      {(control) => (
        <TextInput
          {...control}
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
