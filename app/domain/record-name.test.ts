import { expect, test } from 'vitest'
import { recordName } from './record-name.ts'

const known = (object: string, more: object) => ({
  ...{ object, recordUuid: 'u', own: null, job: null, company: null, customer: null },
  ...more,
})

test.each([
  ['job', null, 'Job', ''],
  [
    'note',
    { job: { generated_job_id: '3128' }, company: { name: 'Joan Hartley' } },
    'Note on job 3128',
    'Joan Hartley',
  ],
  ['job', { job: { generated_job_id: '3128', job_address: '2 Mill Lane\nYork' } }, 'Job 3128', '2 Mill Lane'],
  ['job', { job: { generated_job_id: '3128', job_address: '~300:abc' }, customer: 'Joan' }, 'Job 3128', 'Joan'],
  ['company', { own: { name: 'Joan Hartley' } }, 'Company', 'Joan Hartley'],
  ['staff', { own: { first: 'Tom', last: 'Finch' } }, 'staff', 'Tom Finch'],
  ['jobcontact', { own: { first: 'Ann', last: 'Lee' }, job: { generated_job_id: '7' } }, 'Job Contact on job 7', ''],
])('%s is called what people call it', (object, more, what, who) => {
  expect(recordName(object, more && known(object, more))).toMatchObject({ what, who })
})

test('an address is no customer', () => {
  const job = { generated_job_id: '3128', job_address: '2 Mill Lane' }
  expect(recordName('note', known('note', { job }))).toMatchObject({ job: '3128', customer: '', who: '2 Mill Lane' })
})
