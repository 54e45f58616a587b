//! The keys of a request as they are written: an id comes back byte for byte, and is known even where the rest cannot be read.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The id of a request: a text or a number as it was written, or `null`.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct Id(Box<RawValue>);

impl Id {
    /// `None` of what is no text and no number.
    pub fn of(raw: &RawValue) -> Option<Id> {
        let is_plain = raw.get().starts_with(|c: char| c == '"' || c == '-' || c.is_ascii_digit());
        is_plain.then(|| Id(raw.to_owned()))
    }

    /// Whether a request has one.
    pub fn is_given(&self) -> bool {
        self.0.get() != RawValue::NULL.get()
    }
}

impl Default for Id {
    fn default() -> Id {
        Id(RawValue::NULL.to_owned())
    }
}

impl From<usize> for Id {
    fn from(number: usize) -> Id {
        RawValue::from_string(number.to_string()).map_or_else(|_| Id::default(), Id)
    }
}

/// The same text, however it is escaped, or the same digits.
impl PartialEq for Id {
    fn eq(&self, other: &Id) -> bool {
        let text = |id: &Id| serde_json::from_str::<String>(id.0.get()).ok();
        self.0.get() == other.0.get() || text(self).is_some_and(|own| Some(own) == text(other))
    }
}

/// The pairs of an object, each value as it is written.
#[derive(Default)]
pub(super) struct Keys<'a>(pub Vec<(String, &'a RawValue)>);

impl<'a> Keys<'a> {
    /// Reads a line. Of what is no object, or has a key twice, the pairs before that are kept.
    pub fn read(&mut self, line: &'a [u8]) -> serde_json::Result<()> {
        let mut input = serde_json::Deserializer::from_slice(line);
        self.deserialize(&mut input).and_then(|()| input.end())
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| *value)
    }
}

impl<'a> DeserializeSeed<'a> for &mut Keys<'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, input: D) -> Result<(), D::Error> {
        input.deserialize_map(self)
    }
}

impl<'a> Visitor<'a> for &mut Keys<'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'a>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some((key, value)) = map.next_entry::<String, &RawValue>()? {
            if self.get(&key).is_some() {
                return Err(Error::custom(format!("{key}: given twice")));
            }
            self.0.push((key, value));
        }
        Ok(())
    }
}

/// The ids that a request names: one, or a list of them.
pub(super) fn ids(raw: &RawValue) -> Option<Vec<Id>> {
    let list: Result<Vec<&RawValue>, _> = Deserialize::deserialize(raw);
    list.map_or_else(|_| Some(vec![Id::of(raw)?]), |list| list.into_iter().map(Id::of).collect())
}
