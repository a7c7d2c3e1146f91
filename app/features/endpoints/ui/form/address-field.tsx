import { useState } from 'react'
import { Field } from '#app/ui/form/field.tsx'
import { TextInput } from '#app/ui/form/text-input.tsx'
import { chatWarning } from '../../chat-address.ts'

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

/** The field for the destination address. Warns while typing about addresses that will refuse events. */
export function AddressField({ field, label, hint, autoFocus }: AddressFieldProps) {
  const [address, setAddress] = useState(field.initialValue ?? '')
  const warning = chatWarning(address.trim())
  return (
    <Field
      id={field.id}
      label={label}
      hint={warning === null ? hint : <span className="text-attention">{warning}</span>}
      errors={field.errors}
    >
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
