/** The guides of the site in reading order, by section. A page that is missing here fails the build. */
export const sections: Readonly<Record<string, readonly string[]>> = {
  'Start here': ['getting-started', 'client', 'service', 'migrating'],
  Products: ['airtime', 'data', 'tv', 'electricity', 'education'],
  'Sell safely': ['purchases', 'errors', 'troubleshooting', 'retries', 'webhooks', 'orders', 'bulk', 'scale'],
  'Develop and test': ['sandbox', 'sandbox-http', 'testing'],
  'In production': [
    'observability',
    'doctor',
    'security',
    'runtimes',
    'node-transport',
    'performance',
    'open-questions',
    'versioning',
  ],
  'Behind it': ['contributing', 'chaos', 'mutation'],
};

/** The section of the modules, after the guides. */
export const referenceSection = 'API reference';
