/** The guides of the site in reading order, by section. A page that is missing here fails the build. */
export const sections: Readonly<Record<string, readonly string[]>> = {
  'Start here': ['getting-started', 'purchases', 'client', 'migrating', 'agents'],
  Products: ['airtime', 'data', 'tv', 'electricity', 'education'],
  'Sell safely': [
    'orders',
    'orders-customers',
    'orders-operating',
    'books',
    'orders-stores',
    'webhooks',
    'bulk',
    'errors',
    'troubleshooting',
    'retries',
    'scale',
  ],
  'Develop and test': ['sandbox', 'sandbox-http', 'testing'],
  'In production': [
    'doctor',
    'observability',
    'security',
    'runtimes',
    'transports',
    'node-transport',
    'performance',
  ],
  'The service': ['service', 'open-questions', 'versioning'],
  'Behind it': ['contributing', 'chaos', 'mutation'],
};

/** The section of the modules, after the guides. */
export const referenceSection = 'API reference';
