import { act, screen } from '@testing-library/react'
import { Suspense } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { expect, it } from 'vitest'
import { pageStub } from '#tests/support/page-stub.tsx'
import { expectNoise } from '#tests/support/quiet.ts'
import { Field } from './field.tsx'
import { OneForm } from './one-form.tsx'
import { TextInput } from './text-input.tsx'

it('lets go of its controls once scripts run, and keeps what was typed into a part that hydrates later', async () => {
  expectNoise(/useLayoutEffect does nothing on the server/)
  const page = () => (
    <OneForm>
      <Suspense fallback={null}>
        <Field id="x" label="Address">
          {(control) => <TextInput {...control} name="x" />}
        </Field>
      </Suspense>
    </OneForm>
  )
  const box = document.createElement('div')
  document.body.append(box)
  box.innerHTML = renderToString(pageStub({ page }))
  const field = screen.getByLabelText<HTMLInputElement>('Address')
  expect(field.getAttribute('form')).toBe('one-form')
  field.value = 'typed early'
  const failures: unknown[] = []
  const root = await act(async () =>
    hydrateRoot(box, pageStub({ page }), { onRecoverableError: (error) => failures.push(error) }),
  )
  expect(failures).toEqual([])
  expect([field.isConnected, field.value, field.getAttribute('form')]).toEqual([true, 'typed early', null])
  expect(box.querySelector('#one-form')).toBeNull()
  await act(async () => root.unmount())
})
