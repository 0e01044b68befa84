import axios from 'axios';

export const buy = async (key: string): Promise<string> => {
  const { data } = await axios.post<{ data: { reference: string } }>('https://service.test', { key });
  return data.data.reference;
};
