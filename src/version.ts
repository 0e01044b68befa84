/** This package's version, as package.json has it. */
export const version = '1.0.0';
