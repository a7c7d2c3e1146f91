import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { AddressField } from './endpoint-fields.tsx'

const draw = (initialValue = '') =>
  render(
    <AddressField
      field={{ id: 'to', name: 'callback_url', initialValue }}
      label="Callback URL"
      hint="Where events are sent."
      autoFocus={false}
    />,
  )
const described = () => {
  const ids = screen.getByLabelText('Callback URL').getAttribute('aria-describedby') ?? ''
  return document.getElementById(ids)?.textContent
}

it('says at the field whose address it is, and what Slack gets, while it is typed', async () => {
  draw()
  expect(described()).toBe('Where events are sent.')
  const user = userEvent.setup()
  await user.type(screen.getByLabelText('Callback URL'), 'https://hooks.slack.com/services/T/B/x')
  expect(described()).toBe('Slack gets a message in words.')
  await user.clear(screen.getByLabelText('Callback URL'))
  await user.type(screen.getByLabelText('Callback URL'), 'hooks.zapier.com/x')
  expect(described()).toBe('Events go to Zapier. We add https://.')
  await user.clear(screen.getByLabelText('Callback URL'))
  expect(described()).toBe('Where events are sent.')
})

it('says so without scripts too, where the form is drawn with such an address', () => {
  draw('https://discord.com/api/webhooks/1/x')
  expect(described()).toBe('Discord gets a message in words.')
})
