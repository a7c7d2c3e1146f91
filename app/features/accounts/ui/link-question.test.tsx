import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderPage } from '#tests/support/page-stub.tsx'
import { LinkQuestion } from './link-question.tsx'

it('names what is linked with what, posts to its own address, and can be left', () => {
  renderPage({
    page: () => (
      <LinkQuestion
        externalId="ext-9"
        accountName="Leeds Electrical"
        address="/link?accountuuid=ext-9&token=t&to=%2Ffieldhook"
        back="/fieldhook?accountuuid=ext-9"
      />
    ),
  })
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Link this account?')
  screen.getByText((_, node) => node?.textContent === 'External account ext-9 will open Leeds Electrical.')
  const form = screen.getByRole('button', { name: 'Link account' }).closest('form')
  expect([form?.method, form?.getAttribute('action')]).toEqual([
    'post',
    '/link?accountuuid=ext-9&token=t&to=%2Ffieldhook',
  ])
  expect(screen.getByRole('link', { name: 'Not now' }).getAttribute('href')).toBe('/fieldhook?accountuuid=ext-9')
})
