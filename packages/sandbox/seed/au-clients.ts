import type { ClientPlan } from './plan.ts'

const qld = (street: string, city: string, postcode: string) => ({ street, city, state: 'QLD', postcode })

export const AU_CLIENTS: readonly ClientPlan[] = [
  {
    key: 'harbour',
    name: 'Harbour View Body Corporate',
    address: qld('44 Spinnaker Parade', 'Shorncliffe', '4017'),
    people: [
      {
        first: 'Denise',
        last: 'Calloway',
        mobile: '+61491570110',
        phone: '(07) 5550 0110',
        email: 'denise@harbourview-strata.test',
      },
      { first: 'Accounts', last: 'Harbour View', email: 'accounts@harbourview-strata.test' },
    ],
    terms: '30 days',
    badges: ['strata', 'gate'],
  },
  {
    key: 'tran',
    name: 'Minh and Kim Tran',
    individual: true,
    address: qld('12 Lorikeet Court', 'Bracken Ridge', '4017'),
    people: [{ first: 'Kim', last: 'Tran', mobile: '+61491570313', email: 'kim.tran@example.com' }],
    badges: ['pets'],
  },
  {
    key: 'bluegum',
    name: 'Blue Gum Early Learning',
    address: qld('3 Paperbark Drive', 'Deagon', '4017'),
    people: [
      { first: 'Olivia', last: 'Hart', mobile: '+61491570737', email: 'director@bluegum-learning.test' },
      { first: 'Payables', last: 'Blue Gum', email: 'payables@bluegum-learning.test' },
    ],
    terms: '14 days',
    badges: ['annual'],
  },
  {
    key: 'dawson',
    name: 'Bill Dawson',
    individual: true,
    address: qld('207 Old Ferry Road', 'Brighton', '4017'),
    people: [{ first: 'Bill', last: 'Dawson', phone: '(07) 5550 0207' }],
  },
  {
    key: 'cafe',
    name: 'Salt & Ember Cafe',
    address: qld('5/90 Jetty Street', 'Sandgate', '4017'),
    people: [{ first: 'Ash', last: 'Romano', mobile: '+61491571266', email: 'ash@salt-and-ember.test' }],
    website: 'https://salt-and-ember.test',
    badges: ['review'],
  },
  {
    key: 'reid',
    name: 'Charlotte Reid',
    individual: true,
    address: qld('8 Banyan Close', 'Fitzgibbon', '4018'),
    people: [{ first: 'Charlotte', last: 'Reid', mobile: '+61491571491', email: 'charlotte.reid@example.com' }],
  },
  {
    key: 'vet',
    name: 'Northside Vet Clinic',
    address: qld('61 Wharf Street', 'Geebung', '4034'),
    people: [
      { first: 'Dr Anika', last: 'Shah', mobile: '+61491571804', email: 'anika@northside-vet.test' },
      { first: 'Front desk', last: 'Northside Vet', phone: '(07) 7010 0061', email: 'desk@northside-vet.test' },
    ],
    terms: '14 days',
    badges: ['pets'],
  },
  {
    key: 'kowalski',
    name: 'Jan Kowalski',
    individual: true,
    address: qld('33 Mangrove Way', 'Boondall', '4034'),
    people: [{ first: 'Jan', last: 'Kowalski', mobile: '0491 572 549', email: 'jan.kowalski@example.com' }],
  },
  {
    key: 'school',
    name: 'Cabbage Tree Creek State School',
    address: qld('100 Scholar Street', 'Zillmere', '4034'),
    people: [
      { first: 'Peter', last: 'Langdon', mobile: '+61491572665', email: 'facilities@cabbagetree-school.test' },
      { first: 'Office', last: 'Cabbage Tree Creek', phone: '(07) 5550 0100', email: 'office@cabbagetree-school.test' },
    ],
    terms: '30 days',
    badges: ['annual'],
  },
  {
    key: 'omalley',
    name: "Siobhan O'Malley",
    individual: true,
    address: qld('19 Curlew Street', 'Sandgate', '4017'),
    people: [{ first: 'Siobhan', last: "O'Malley", mobile: '+61491572983', email: 'siobhan.omalley@example.com' }],
  },
  {
    key: 'gym',
    name: 'Iron Pier Gym',
    address: qld('2 Anchor Lane', 'Clontarf', '4019'),
    people: [{ first: 'Zoe', last: 'Whitfield', mobile: '+61491573770', email: 'zoe@ironpier-gym.test' }],
  },
  {
    key: 'rental',
    name: 'Tidewater Property Management',
    address: qld('Level 1, 77 Bramble Street', 'Sandgate', '4017'),
    people: [
      { first: 'Hugo', last: 'Lindqvist', mobile: '+61491573087', email: 'maintenance@tidewater-property.test' },
      { first: 'Trust account', last: 'Tidewater', email: 'trust@tidewater-property.test' },
    ],
    terms: '14 days',
    badges: ['gate'],
  },
  {
    key: 'farm',
    name: 'Nerida Blackwood',
    individual: true,
    address: qld('640 Dairy Road', 'Samford Valley', '4520'),
    people: [{ first: 'Nerida', last: 'Blackwood', email: 'nerida.blackwood@example.com' }],
  },
  {
    key: 'video',
    name: 'Bayside Video Hire (closed)',
    address: qld('14 Cinema Lane', 'Wynnum', '4178'),
    people: [{ first: 'Rhys', last: 'Adler', mobile: '+61491574118' }],
    inactive: true,
  },
]
